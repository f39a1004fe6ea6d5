"""What an archive's SHA-256 should be, and whether it is: settled before a byte of it is parsed.

Sources: a digest given by the caller, a sidecar `<archive>.sha256` beside the archive, and `release.json` in its
folder or
          the one above (archives lie below `releases/`: release format 1.6). All that exist must agree.
Errors:   EvidenceError (blocking) when a source names no digest, sources disagree, or the archive differs.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from loaders.errors import EvidenceError

DIGEST = re.compile(r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{64}(?![0-9A-Fa-f])")
READ_BYTES = 1 << 20
STATE = "Nothing of this archive was loaded."


class Expectation(NamedTuple):
    """A digest and who states it."""

    sha256: str
    source: str


def expected_digest(archive: Path, given: str | None = None) -> Expectation | None:
    """The digest `archive` should have, or None when nobody states one."""
    found = []
    if given is not None:
        if not DIGEST.fullmatch(given):
            raise _fault(
                str(archive), f"the expected digest {given!r} is not 64 hexadecimal digits", "Give the whole SHA-256."
            )
        found.append(Expectation(given.lower(), "given"))
    sidecar = archive.with_name(archive.name + ".sha256")
    if sidecar.is_file():
        found.append(Expectation(read_sidecar(sidecar.read_bytes(), str(sidecar), archive.name), "sidecar"))
    for folder in (archive.parent, archive.parent.parent):
        record = folder / "release.json"
        if record.is_file() and (digest := read_release_record(record.read_bytes(), str(record), archive.name)):
            found.append(Expectation(digest, "release.json"))
            break
    if len({expectation.sha256 for expectation in found}) > 1:
        told = ", ".join(f"{source} says {digest}" for digest, source in found)
        raise _fault(str(archive), f"its expected digests disagree: {told}", "Find out which edition this archive is.")
    return found[0] if found else None


def read_sidecar(content: bytes, place: str, archive_name: str) -> str:
    """The digest in a sidecar of any usual form: bare, `sha256sum`, BSD, several lines, upper case, with a BOM."""
    lines = content.decode("utf-8-sig", "replace").splitlines()
    digests = [(match.group().lower(), line) for line in lines if (match := DIGEST.search(line))]
    named = [digest for digest, line in digests if archive_name in line]
    candidates = set(named or [digest for digest, _ in digests])
    if len(candidates) != 1:
        raise _fault(
            place,
            f"{len(candidates)} SHA-256 digests for {archive_name}, expected one",
            "Put the archive's digest there, as sha256sum writes it.",
        )
    return candidates.pop()


def read_release_record(content: bytes, place: str, archive_name: str) -> str | None:
    """The digest `release.json` records for the archive, whether as one object, a list, or a map by name."""
    try:
        record = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _fault(place, f"not readable as JSON ({error})", "Restore the release's own release.json.") from error
    found = {digest.lower() for digest in _digests_of(record, archive_name)}
    if len(found) > 1:
        raise _fault(
            place, f"{len(found)} different digests for {archive_name}", "Restore the release's own release.json."
        )
    return found.pop() if found else None


def _digests_of(node: object, archive_name: str) -> Iterator[str]:
    pending = [("", node)]
    while pending:
        name, value = pending.pop()
        if isinstance(value, dict):
            named = next((value[key] for key in ("path", "file", "name") if isinstance(value.get(key), str)), name)
            digest = value.get("sha256")
            if _base(named) == archive_name and isinstance(digest, str) and DIGEST.fullmatch(digest):
                yield digest
            pending += value.items()
        elif isinstance(value, list):
            pending += [("", item) for item in value]
        elif isinstance(value, str) and _base(name) == archive_name and DIGEST.fullmatch(value):
            yield value


def _base(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def file_digest(file: BinaryIO, progress: Callable[[int], None]) -> str:
    """SHA-256 of an open file from its start; `progress` is told how many bytes each read took."""
    digest = hashlib.sha256()
    file.seek(0)
    while chunk := file.read(READ_BYTES):
        digest.update(chunk)
        progress(len(chunk))
    file.seek(0)
    return digest.hexdigest()


def _fault(place: str, problem: str, remedy: str) -> EvidenceError:
    return EvidenceError(place, None, problem, remedy, STATE, blocks=True)
