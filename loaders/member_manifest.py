"""Hold the members of an archive against its own manifest, in both directions (release format 1.4).

The manifest lists neither itself nor `paper/artifact_manifest.md`; an entry for a link carries the digest of the
content it leads to.
"""

import csv
import io
import re
from typing import NamedTuple

from loaders.containers.member import DIRECTORY, FILE, Member
from loaders.containers.paths import UnsafePath, member_path
from loaders.errors import EvidenceError

MANIFEST_PATH = "profiles/benchmark/publication-artifact-manifest.csv"
UNLISTED = {MANIFEST_PATH, "paper/artifact_manifest.md"}
HEADER = ["path", "category", "size_bytes", "sha256"]
HEX = re.compile(r"[0-9a-f]{64}")
NAMED_FAULTS = 20
STATE = "Nothing of this archive was loaded."


class Entry(NamedTuple):
    """One row of the manifest."""

    category: str
    size: int
    sha256: str


def read_manifest(content: bytes, place: str) -> dict[str, Entry]:
    """The manifest's entries by member path.

    Raises EvidenceError (blocking) on another header, field count, size, digest, an unsafe path or a path listed twice.
    """
    try:
        rows = csv.reader(io.StringIO(content.decode(), newline=""), strict=True)
        header = next(rows, None)
    except (UnicodeDecodeError, csv.Error) as error:
        raise _fault(place, None, f"not readable as UTF-8 CSV ({error})") from error
    if header != HEADER:
        raise _fault(place, 1, f"header is {header}, expected {HEADER}")
    entries: dict[str, Entry] = {}
    try:
        for row in rows:
            if len(row) != len(HEADER):
                raise _fault(place, rows.line_num, f"{len(row)} fields {row}, expected {len(HEADER)}")
            path, category, size, sha256 = row
            if not (size.isascii() and size.isdigit()) or not HEX.fullmatch(sha256):
                raise _fault(place, rows.line_num, f"{row} has no readable size and SHA-256")
            path = member_path(path.encode())
            if path in entries:
                raise _fault(place, rows.line_num, f"{path!r} is listed twice")
            entries[path] = Entry(category, int(size), sha256)
    except csv.Error as error:
        raise _fault(place, rows.line_num, f"not readable as CSV ({error})") from error
    except UnsafePath as error:
        raise _fault(place, rows.line_num, str(error)) from error
    return entries


def check_members(members: dict[str, Member], entries: dict[str, Entry], place: str) -> None:
    """Raise EvidenceError (blocking), naming every fault, unless members and manifest agree."""
    faults = [f"{path!r} is listed but absent" for path in entries.keys() - members.keys()]
    for path, member in members.items():
        entry = entries.get(path)
        if entry is None:
            if member.kind != DIRECTORY and path not in UNLISTED:
                faults.append(f"{path!r} is not listed")
            continue
        content = resolve(members, path)
        if content is None:
            faults.append(f"{path!r} is a {member.kind} to {member.link_target!r}, which is not a file here")
        elif content.size != entry.size:
            faults.append(f"{path!r} has {content.size} bytes, listed with {entry.size}")
        elif content.sha256 != entry.sha256:
            faults.append(f"{path!r} has SHA-256 {content.sha256}, listed with {entry.sha256}")
    if faults:
        faults.sort()
        more = len(faults) - NAMED_FAULTS
        told = "; ".join(faults[:NAMED_FAULTS]) + (f"; and {more} more" if more > 0 else "")
        raise _fault(place, None, f"{len(faults)} members disagree with {MANIFEST_PATH}: {told}")


def resolve(members: dict[str, Member], path: str) -> Member | None:
    """The file that `path` is or leads to; None for folders, dangling links and links in a circle."""
    seen: set[str] = set()
    while (member := members.get(path)) is not None and path not in seen:
        if member.kind == FILE:
            return member
        if member.link_target is None:
            return None
        seen.add(path)
        path = member.link_target
    return None


def _fault(place: str, line: int | None, problem: str) -> EvidenceError:
    return EvidenceError(place, line, problem, "Fetch the archive again, or ask its publisher.", STATE, blocks=True)
