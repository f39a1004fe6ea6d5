"""Survey a release folder: which registered tables it holds, and whether their digests are the promised ones.

Nothing is read into the warehouse here. Source of the layout: the registry (`seeds/release_views.csv`,
`seeds/release_tables.csv`); of the digests: release format 1.5.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from loaders import digests
from loaders.archives import Archive
from loaders.errors import EvidenceError
from loaders.registry import Registry, Table
from loaders.tables import table_path

ARCHIVE_SUFFIXES = (".tar.zst", ".tar")
_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class FoundFile:
    """One registered table in a release.

    `digest_check` says what proves the digest: `verified` by a manifest of the release, `known_edition` by the
    registry of published files, or `not_covered`: nothing does.
    """

    table: Table
    path: str
    sha256: str
    size_bytes: int
    digest_check: str


@dataclass(frozen=True)
class FoundArchive:
    """An archive of raw evidence, or an extracted tree: then `path` is `.` and `sha256` identifies its listing.

    `digest_check` is `verified` when a sidecar, the release record or the registry states the digest.
    """

    path: str
    sha256: str
    size_bytes: int
    digest_check: str


@dataclass(frozen=True)
class Refusal:
    """A table that was found but not taken, and why."""

    table: Table
    path: str
    problem: str


@dataclass(frozen=True)
class Release:
    """A surveyed release folder.

    `release_id` is the tag in `release.json`, else `tables-` and twelve digits of a hash over paths and digests.
    `digest` changes with anything a load would do differently: paths, SHA-256, whether a manifest covers a file,
    refusals. `promised_but_absent` lists registered files a manifest names and the folder lacks.
    """

    root: Path
    release_id: str
    digest: str
    files: tuple[FoundFile, ...]
    archives: tuple[FoundArchive, ...]
    refusals: tuple[Refusal, ...]
    promised_but_absent: tuple[str, ...]


def survey(root: Path, registry: Registry) -> Release:
    """Find and check every registered table below `root`.

    Errors: EvidenceError (blocking) for each file whose digest is not the promised one, all in one message; for a
    folder that holds no registered table at all.
    """
    if not root.is_dir():
        raise EvidenceError(str(root), None, "this is not a folder", "Name the folder of a release.", blocks=True)
    promises = digests.read_promises(root)
    files: list[FoundFile] = []
    refusals: list[Refusal] = []
    faults: list[str] = []
    for table in registry.tables.values():
        found: list[FoundFile] = []
        for path in table_path(root, table):
            place = path.relative_to(root).as_posix()
            sha256, size = digests.sha256_of(path)
            promised = promises.get(place, [])
            try:
                digests.check(place, sha256, size, promised)
            except EvidenceError as error:
                faults.append(str(error))
            found.append(FoundFile(table, place, sha256, size, _digest_check(table, sha256, bool(promised), registry)))
        if len({file.sha256 for file in found}) > 1:
            places = ", ".join(file.path for file in found)
            refusals.append(Refusal(table, found[0].path, f"{places} differ, and one release has one {table.name}"))
        elif found:
            files.append(found[0])
    archives: list[FoundArchive] = []
    for path in _archive_paths(root):
        archive = Archive(path)
        try:
            sha256 = archive.identify()
        except EvidenceError as error:
            faults.append(str(error))
            continue
        check = "not_covered" if archive.proof is None else "verified"
        size = path.stat().st_size if path.is_file() else 0
        archives.append(FoundArchive(path.relative_to(root).as_posix(), sha256, size, check))
    if faults:
        raise EvidenceError(
            str(root), None, f"{len(faults)} file(s) are not what was published. " + " ".join(faults), blocks=True
        )
    if not files and not refusals and not archives:
        raise EvidenceError(
            str(root),
            None,
            "no registered table is in this folder",
            "Expected the layout of the release, for example benchmark/runs.csv below it.",
            blocks=True,
        )
    known_paths = {path for table in registry.tables.values() for path in table.paths}
    pairs = sorted((file.path, file.sha256) for file in (*files, *archives))
    checks = sorted((file.path, file.sha256, file.digest_check) for file in (*files, *archives))
    return Release(
        root=root,
        release_id=_tag(root) or f"tables-{_digest(pairs)[:12]}",
        digest=_digest([*checks, *((refusal.path, refusal.problem) for refusal in refusals)]),
        files=tuple(files),
        archives=tuple(archives),
        refusals=tuple(refusals),
        promised_but_absent=tuple(sorted(p for p in promises if p in known_paths and not (root / p).exists())),
    )


def _archive_paths(root: Path) -> list[Path]:
    """Archives in the folder or its `releases/`; without any, the folder itself when it is an extracted tree."""
    found = sorted(
        path
        for folder in (root, root / "releases")
        for suffix in ARCHIVE_SUFFIXES
        for path in folder.glob(f"*{suffix}")
    )
    return found or [root] if (root / "output").is_dir() else found


def _digest_check(table: Table, sha256: str, is_promised: bool, registry: Registry) -> str:
    if is_promised:
        return "verified"
    return "known_edition" if (table.name, sha256) in registry.known_editions else "not_covered"


def _digest(entries: list[tuple[str, ...]]) -> str:
    return hashlib.sha256("".join(" ".join(entry) + "\n" for entry in entries).encode()).hexdigest()


def _tag(root: Path) -> str | None:
    path = root / "release.json"
    if not path.is_file():
        return None
    try:
        tag = json.loads(path.read_text(encoding="utf-8"))["release"]
    except (UnicodeDecodeError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise EvidenceError(
            "release.json",
            None,
            f"it has no readable `release` ({type(error).__name__}: {error})",
            "Get the file again from the release.",
            blocks=True,
        ) from error
    if not isinstance(tag, str) or not _TAG.fullmatch(tag):
        raise EvidenceError(
            "release.json",
            None,
            f"`release` is {str(tag)[:100]!r}, expected a tag of letters, digits, dots and dashes",
            blocks=True,
        )
    return tag
