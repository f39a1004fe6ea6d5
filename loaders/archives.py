"""Read a release archive: prove it, then stream its members. Nothing is extracted to disk.

Source:  a `.tar.zst`, a plain `.tar` (told apart by their first bytes), or the folder one was extracted to.
Yields:  `Piece`s in archive order: the member, and its content as far as the caller wants it.
Memory:  one piece, a block of the stream, and a few hundred bytes for each member.
Errors:  EvidenceError (blocking). A digest that differs is refused before a byte is parsed. Cuts, unsafe paths, twice
         the same name, limits and disagreement with the in-archive manifest are refused when they are met, and the
         manifest
         may come last: what was yielded before holds only once the iterator has ended without an error.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import BinaryIO, NamedTuple

from loaders.containers.member import FILE, Content, Member
from loaders.containers.tar_stream import tar_members
from loaders.containers.tree import open_tree, tree_members
from loaders.containers.zstd_frames import FRAME_MAGIC, READ_BYTES, SKIPPABLE_MAGICS, decompressed_blocks
from loaders.errors import EvidenceError
from loaders.findings import Finding
from loaders.limits import DEFAULTS, Limits
from loaders.member_manifest import MANIFEST_PATH, Entry, check_members, read_manifest, resolve
from loaders.proofs import expected_digest, file_digest

STATE = "Nothing of this archive was loaded."
HASH_BYTES = 1 << 20
COPY_BELOW = 1 << 19
Progress = Callable[[int, int], None]


class Delivery(Enum):
    """How much of a member's content the caller wants."""

    NONE = "none"  # read and digested only
    WHOLE = "whole"  # in one piece
    STREAM = "stream"  # in pieces of at most Limits.trace_piece_bytes


class Piece(NamedTuple):
    """Content of `member`, or None when none was wanted. With the last piece the member's `sha256` is known."""

    member: Member
    data: bytes | memoryview | None
    is_last: bool


class Archive:
    """One archive or tree. `pieces` may be used once; afterwards `members`, `entries` and `findings` are complete.

    `expected_sha256` is what the caller knows of the digest. With `must_be_proved` (the default) a source with neither
    a known digest nor an in-archive manifest is refused; without, it is a finding.
    `progress(done, total)` counts bytes of the source as stored (compressed bytes of a `.tar.zst`).
    """

    def __init__(
        self,
        path: str | Path,
        limits: Limits = DEFAULTS,
        expected_sha256: str | None = None,
        progress: Progress | None = None,
        must_be_proved: bool = True,
    ):
        self.path, self.place, self.limits = Path(path), str(path), limits
        self.sha256: str | None = None
        self.proof: str | None = None
        self.members: dict[str, Member] = {}
        self.entries: dict[str, Entry] | None = None
        self.findings: list[Finding] = []
        self._expected_sha256, self._progress, self._must_be_proved = expected_sha256, progress, must_be_proved
        self._done = self._total = 0
        self._manifest: bytes | None = None
        self._folded: dict[str, str] = {}

    def identify(self) -> str:
        """SHA-256 of the archive, checked against what is expected of it; of a tree, the digest of its listing."""
        if self.path.is_dir():
            return self._tree_identity(tree_members(self.path, self.limits))
        with _open(self.path) as file:
            self._prove(file)
        assert self.sha256 is not None
        return self.sha256

    def pieces(self, want: Callable[[Member], Delivery]) -> Iterator[Piece]:
        """Prove the source, then yield its members; `want` says for each file how its content is delivered."""
        if self.path.is_dir():
            tree = tree_members(self.path, self.limits)
            self._total = sum(member.size for member in tree)
            self.sha256 = self._tree_identity(tree)
            yield from self._deliver(open_tree(self.path, tree, self._advance), want)
        else:
            with _open(self.path) as file:
                before = _identity(file)
                self._prove(file)
                blocks = self._blocks(file)
                yield from self._deliver(tar_members(blocks, self.place, self.limits), want)
                if _identity(file) != before:
                    raise self._fault("it changed while it was read", "Load it when nothing writes to it.")
        self._check_links()
        self._check_manifest()

    def _prove(self, file: BinaryIO) -> None:
        expectation = expected_digest(self.path, self._expected_sha256)
        self._total = os.fstat(file.fileno()).st_size
        self.sha256 = file_digest(file, lambda size: None)
        if expectation is None:
            return
        self.proof = expectation.source
        if self.sha256 != expectation.sha256:
            raise self._fault(
                f"its SHA-256 is {self.sha256}, {expectation.source} says {expectation.sha256}",
                "Fetch the archive again, or name the edition its digest belongs to.",
            )

    def _tree_identity(self, members: list[Member]) -> str:
        """A tree has no file to digest: its identity is the digest of its listing with every member's own digest."""
        identity = hashlib.sha256()
        for member, content in open_tree(self.path, members, lambda size: None):
            if member.kind == FILE:
                digest = hashlib.sha256()
                for chunk in content(HASH_BYTES):
                    digest.update(chunk)
                member.sha256 = digest.hexdigest()
            identity.update(f"{member.path}\0{member.kind}\0{member.sha256}\0{member.link_target}\n".encode())
        return identity.hexdigest()

    def _blocks(self, file: BinaryIO) -> Iterator[bytes]:
        magic = file.read(4)
        file.seek(0)
        if magic == FRAME_MAGIC or magic in SKIPPABLE_MAGICS:
            yield from decompressed_blocks(file, self.place, self.limits, self._advance)
            return
        while block := file.read(READ_BYTES):
            self._advance(len(block))
            yield block

    def _deliver(
        self, members: Iterator[tuple[Member, Content]], want: Callable[[Member], Delivery]
    ) -> Iterator[Piece]:
        for member, content in members:
            if not member.path:
                continue
            self._register(member)
            if member.kind != FILE:
                yield Piece(member, None, True)
                continue
            delivery = want(member)
            if member.path == MANIFEST_PATH:
                delivery = Delivery.WHOLE
                self._refuse_above(self.limits.manifest_bytes, "manifest_bytes", member)
            yield from self._content(member, content, delivery)

    def _content(self, member: Member, content: Content, delivery: Delivery) -> Iterator[Piece]:
        """Digest the member's content and hand on as much as is wanted.

        Small pieces are copied, so that a piece that waits for its reader does not keep a whole block alive.
        """
        digest = hashlib.sha256()
        if delivery is Delivery.WHOLE:
            chunks = list(content(member.size))
            data = chunks[0] if len(chunks) == 1 and member.size >= COPY_BELOW else b"".join(chunks)
            digest.update(data)
            self._settle(member, digest.hexdigest())
            if member.path == MANIFEST_PATH:
                self._manifest = bytes(data)
            yield Piece(member, data, True)
            return
        if delivery is Delivery.NONE:
            for chunk in content(HASH_BYTES):
                digest.update(chunk)
            self._settle(member, digest.hexdigest())
            yield Piece(member, None, True)
            return
        held: bytes | memoryview = b""
        for chunk in content(self.limits.trace_piece_bytes):
            if len(held):
                yield Piece(member, held, False)
            digest.update(chunk)
            held = bytes(chunk) if len(chunk) < COPY_BELOW else chunk
        self._settle(member, digest.hexdigest())
        yield Piece(member, held, True)

    def _settle(self, member: Member, sha256: str) -> None:
        if member.sha256 not in (None, sha256):
            raise self._fault(f"{member.path!r} changed while it was read", "Load the tree when nothing writes to it.")
        member.sha256 = sha256

    def _register(self, member: Member) -> None:
        """Count the member; refuse a second one of its name, note one that differs by case only."""
        if len(self.members) >= self.limits.members:
            raise self._fault(f"more than {self.limits.members} members", "Raise the limit members if that is right.")
        self._refuse_above(self.limits.member_bytes, "member_bytes", member)
        if (first := self.members.get(member.path)) is not None:
            raise self._fault(
                f"{member.path!r} stands in it twice, at bytes {first.offset} and {member.offset}",
                "Ask its publisher which of the two is meant.",
            )
        folded = member.path.casefold()
        if (other := self._folded.setdefault(folded, member.path)) != member.path:
            self.findings.append(
                Finding("names_differ_in_case", member.path, None, f"{other!r} differs from it only in case")
            )
        self.members[member.path] = member

    def _refuse_above(self, limit: int, name: str, member: Member) -> None:
        if member.size > limit:
            raise self._fault(
                f"{member.path!r} has {member.size} bytes, the limit is {limit}",
                f"Raise the limit {name} if that is right.",
            )

    def _check_links(self) -> None:
        links = {path for path, member in self.members.items() if member.link_target is not None}
        for path in self.members if links else ():
            parent = path
            while "/" in parent:
                parent = parent.rsplit("/", 1)[0]
                if parent in links:
                    raise self._fault(
                        f"{path!r} lies below the link {parent!r}", "Ask its publisher for a clean archive."
                    )
        for path in sorted(links):
            if resolve(self.members, path) is None:
                target = self.members[path].link_target
                self.findings.append(
                    Finding("link_without_file", path, None, f"it leads to {target!r}, which is no file here")
                )

    def _check_manifest(self) -> None:
        if self._manifest is not None:
            place = f"{self.place}:{MANIFEST_PATH}"
            self.entries = read_manifest(self._manifest, place)
            check_members(self.members, self.entries, self.place)
            return
        if self.proof is not None:
            self.findings.append(
                Finding(
                    "no_member_manifest", "", None, f"the digest is proved by {self.proof}; {MANIFEST_PATH} is absent"
                )
            )
        elif self._must_be_proved:
            raise self._fault(
                f"nothing proves it: no digest is known and {MANIFEST_PATH} is absent",
                "Put its SHA-256 beside it as <archive>.sha256, or allow unproved sources.",
            )
        else:
            self.findings.append(
                Finding("unproved_source", "", None, "neither a digest nor a member manifest is known")
            )

    def _advance(self, size: int) -> None:
        self._done += size
        if self._progress is not None:
            self._progress(self._done, self._total)

    def _fault(self, problem: str, remedy: str) -> EvidenceError:
        return EvidenceError(self.place, None, problem, remedy, STATE, blocks=True)


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise EvidenceError(
            str(path), None, f"cannot be opened ({error.strerror})", "Check the path.", STATE
        ) from error


def _identity(file: BinaryIO) -> tuple[int, int]:
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns
