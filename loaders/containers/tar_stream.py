"""Read a tar archive forward only, member by member, from blocks of bytes.

Written because `tarfile` needs three seconds of Python for 21,000 members and takes an archive without its end for a
whole one. It reads the ustar, GNU (long names, base-256 numbers) and pax (path, linkpath, size) forms, and refuses
what it does not read. A differential test holds it against `tarfile`: what it accepts, both see alike.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from loaders.containers.member import DIRECTORY, FILE, HARDLINK, SYMLINK, Content, Member
from loaders.containers.paths import REMEDY, UnsafePath, link_target, member_path
from loaders.errors import EvidenceError
from loaders.limits import Limits

BLOCK = 512
ZEROS = bytes(BLOCK)
KINDS = {b"0": FILE, b"\0": FILE, b"1": HARDLINK, b"2": SYMLINK, b"5": DIRECTORY}
OTHER_KINDS = {
    b"3": "character device",
    b"4": "block device",
    b"6": "FIFO",
    b"7": "contiguous file",
    b"S": "sparse file",
}
STATE = "Nothing of this archive was loaded."
_REPACK = "Fetch the archive again, or name the intact copy."


class Cursor:
    """A position in a stream of blocks. Takes are free of copies while they stay inside one block.

    Raises EvidenceError (blocking) when the stream ends before the bytes that are asked for.
    """

    def __init__(self, blocks: Iterable[bytes], place: str):
        self._blocks, self._place = iter(blocks), place
        self._view, self._at = memoryview(b""), 0
        self.offset = 0

    def take(self, size: int) -> memoryview | bytes:
        """Exactly `size` bytes."""
        end = self._at + size
        if end <= len(self._view):
            taken = self._view[self._at : end]
            self._at = end
            self.offset += size
            return taken
        return b"".join(self.slices(size))

    def slices(self, size: int) -> Iterator[memoryview]:
        """`size` bytes in as many slices as blocks hold them."""
        while size:
            if self.at_end():
                problem = f"the tar stream ends after {self.offset} bytes, before its end-of-archive blocks"
                raise _fault(self._place, problem, _REPACK)
            step = min(size, len(self._view) - self._at)
            taken = self._view[self._at : self._at + step]
            self._at += step
            self.offset += step
            size -= step
            yield taken

    def at_end(self) -> bool:
        while self._at == len(self._view):
            block = next(self._blocks, None)
            if block is None:
                return True
            self._view, self._at = memoryview(block), 0
        return False

    def rest(self) -> Iterator[memoryview]:
        """Whatever is left, slice by slice."""
        while not self.at_end():
            yield from self.slices(len(self._view) - self._at)


@dataclass(slots=True)
class _Extended:
    """What extended headers said about the member that follows them."""

    path: bytes | None = None
    link: bytes | None = None
    size: int | None = None


def tar_members(blocks: Iterable[bytes], place: str, limits: Limits) -> Iterator[tuple[Member, Content]]:
    """Yield each member with a reader of its content; content that was not read is skipped.

    Raises EvidenceError (blocking) for anything but regular files, folders and links, for an unsafe path or link, for
    a damaged header, and when the stream ends without the two zero blocks or goes on behind them.
    """
    cursor = Cursor(blocks, place)
    extended, start = _Extended(), None
    while True:
        offset = cursor.offset
        block = bytes(cursor.take(BLOCK))
        if block == ZEROS:
            _check_end(cursor, place)
            if start is not None:
                raise _fault(place, f"an extended header at byte {start} has no member", _REPACK)
            return
        kind, size = _check_header(block, offset, place)
        if start is None:
            start = offset
        if kind in b"LKxg":
            if size > limits.header_bytes:
                raise _fault(
                    place,
                    f"the extended header at byte {offset} has {size} bytes, the limit is {limits.header_bytes}",
                    "Raise the limit header_bytes if that is right.",
                )
            payload = bytes(cursor.take(size))
            _skip_padding(cursor, size)
            _extend(extended, kind, payload, offset, place)
            continue
        member = _member(block, kind, size, extended, start, place, limits)
        if member.size and member.kind != FILE:
            raise _fault(place, f"{member.kind} {member.path!r} at byte {start} carries {member.size} bytes", REMEDY)
        extended, start = _Extended(), None
        end = cursor.offset + member.size

        def content(piece: int, end: int = end) -> Iterator[bytes | memoryview]:
            while (left := end - cursor.offset) > 0:
                yield cursor.take(min(piece, left))

        yield member, content
        for _ in cursor.slices(end - cursor.offset):
            pass
        _skip_padding(cursor, member.size)


def _skip_padding(cursor: Cursor, size: int) -> None:
    if size % BLOCK:
        cursor.take(BLOCK - size % BLOCK)


def _check_end(cursor: Cursor, place: str) -> None:
    offset = cursor.offset
    if bytes(cursor.take(BLOCK)) != ZEROS:
        raise _fault(place, f"one zero block at byte {offset - BLOCK} is not followed by a second", _REPACK)
    for left in cursor.rest():
        if bytes(left).strip(b"\0"):
            raise _fault(place, f"bytes follow the end-of-archive blocks at byte {offset + BLOCK}", _REPACK)


def _check_header(block: bytes, offset: int, place: str) -> tuple[bytes, int]:
    """The member's type and size, when the header's checksum holds."""
    try:
        stated, size = _number(block[148:156]), _number(block[124:136])
    except ValueError as error:
        raise _fault(place, f"the tar header at byte {offset} is damaged ({error})", _REPACK) from None
    if stated != sum(block) - sum(block[148:156]) + 8 * 0x20:
        raise _fault(place, f"the checksum of the tar header at byte {offset} does not hold", _REPACK)
    return block[156:157], size


def _number(field: bytes) -> int:
    """An octal number, or base 256 where the first byte says so (GNU, for sizes from 8 GiB on)."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    text = field.split(b"\0", 1)[0].strip(b" ")
    if text.strip(b"01234567"):
        raise ValueError(f"{field!r} is not an octal number")
    return int(text, 8) if text else 0


def _extend(extended: _Extended, kind: bytes, payload: bytes, offset: int, place: str) -> None:
    if kind == b"L":
        extended.path = payload.split(b"\0", 1)[0]
    elif kind == b"K":
        extended.link = payload.split(b"\0", 1)[0]
    else:
        for key, value in _pax_records(payload, offset, place):
            if key.startswith(b"GNU.sparse."):
                raise _fault(place, f"a sparse file at byte {offset}", "Pack the archive without --sparse.")
            if key not in (b"path", b"linkpath", b"size"):
                continue
            if kind == b"g":
                raise _fault(place, f"a global header at byte {offset} sets {key.decode()} for every member", REMEDY)
            if key == b"path":
                extended.path = value
            elif key == b"linkpath":
                extended.link = value
            elif not value.isdigit():
                raise _fault(place, f"the extended header at byte {offset} gives the size {value!r}", _REPACK)
            else:
                extended.size = int(value)


def _pax_records(payload: bytes, offset: int, place: str) -> Iterator[tuple[bytes, bytes]]:
    """The `length key=value` records of a pax header; the length counts the whole record."""
    at = 0
    while at < len(payload):
        digits, space, _ = payload[at : at + 20].partition(b" ")
        length = int(digits) if space and digits.isdigit() else 0
        record = payload[at + len(digits) + 1 : at + length - 1]
        key, equals, value = record.partition(b"=")
        if not equals or not key or payload[at + length - 1 : at + length] != b"\n":
            raise _fault(place, f"the extended header at byte {offset} is damaged", _REPACK)
        yield key, value
        at += length


def _member(
    block: bytes, kind: bytes, size: int, extended: _Extended, offset: int, place: str, limits: Limits
) -> Member:
    name = block[:100].split(b"\0", 1)[0]
    prefix = block[345:500].split(b"\0", 1)[0]
    # Only the POSIX form has a prefix there; GNU keeps times in the same bytes.
    if prefix and block[257:263] == b"ustar\0":
        name = prefix + b"/" + name
    if extended.path is not None:
        name = extended.path
    link = extended.link if extended.link is not None else block[157:257].split(b"\0", 1)[0]
    if extended.size is not None:
        size = extended.size
    if kind in b"\0" and name.endswith(b"/"):
        kind = b"5"
    if kind not in KINDS:
        what = OTHER_KINDS.get(kind, f"member of the unknown type {kind!r}")
        raise _fault(place, f"{what} {name!r} at byte {offset}; only files, folders and links are allowed", REMEDY)
    if max(len(name), len(link)) > limits.path_bytes:
        raise _fault(
            place,
            f"a name or link of {max(len(name), len(link))} bytes at byte {offset}, the limit is {limits.path_bytes}",
            "Raise the limit path_bytes if that is right.",
        )
    try:
        path = member_path(name)
        target = None
        if KINDS[kind] in (SYMLINK, HARDLINK):
            target = link_target(path, link, symbolic=KINDS[kind] == SYMLINK)
    except UnsafePath as error:
        raise _fault(place, f"{error}, at byte {offset}", REMEDY) from None
    if not path and KINDS[kind] != DIRECTORY:
        raise _fault(place, f"a {KINDS[kind]} without a name at byte {offset}", REMEDY)
    return Member(path, KINDS[kind], size, offset, target)


def _fault(place: str, problem: str, remedy: str) -> EvidenceError:
    return EvidenceError(place, None, problem, remedy, STATE, blocks=True)
