"""Digest files of a release: which SHA-256 and size each file should have.

Source: release format 1.5, where the same promise is written in several shapes; the card's `MANIFEST.sha256`.
A file may be covered by several manifests; each must agree. No manifest lists itself.
"""

import csv
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from loaders.errors import EvidenceError
from loaders.proofs import file_digest

MANIFEST_NAMES = ("manifest.json", "output_manifest.json", "source-provenance.json", "MANIFEST.sha256")
MEMBER_MANIFEST = "profiles/benchmark/publication-artifact-manifest.csv"

_HEX64 = re.compile(r"[0-9a-f]{64}")
_SUM_LINE = re.compile(r"([0-9A-Fa-f]{64})(?:[ \t]+\*?(\S.*))?")


@dataclass(frozen=True)
class Promise:
    """What one manifest says of one file; `size_bytes` is None where that shape carries no size."""

    sha256: str
    size_bytes: int | None
    manifest: str


def sha256_of(path: Path) -> tuple[str, int]:
    """Hex SHA-256 and size in bytes of the file, read in chunks."""
    with path.open("rb") as file:
        return file_digest(file, lambda size: None), os.fstat(file.fileno()).st_size


def read_promises(root: Path) -> dict[str, list[Promise]]:
    """Every promise of the manifests below `root`, by path relative to `root` (POSIX).

    Errors: EvidenceError (blocking) for a manifest that cannot be read: what it covers could not be checked.
    """
    promises: dict[str, list[Promise]] = {}
    for manifest in _manifests(root):
        place = manifest.relative_to(root).as_posix()
        base = Path() if place in ("MANIFEST.sha256", MEMBER_MANIFEST) else manifest.parent.relative_to(root)
        for name, sha256, size in _entries(manifest, place):
            if not _HEX64.fullmatch(sha256):
                raise _unreadable(place, f"{name} has the digest {sha256!r}, which is not 64 hexadecimal digits")
            path = Path(name)
            if path.is_absolute() or ".." in path.parts:
                raise _unreadable(place, f"it names {name!r}, a path outside its folder")
            promises.setdefault((base / path).as_posix(), []).append(Promise(sha256, size, place))
    return promises


def check(place: str, sha256: str, size_bytes: int, promises: list[Promise]) -> None:
    """Raise a blocking EvidenceError when a file's digest or size is not the promised one."""
    for promise in promises:
        if promise.sha256 != sha256 or promise.size_bytes not in (None, size_bytes):
            promised_size = "any size" if promise.size_bytes is None else f"{promise.size_bytes} bytes"
            raise EvidenceError(
                place,
                None,
                f"SHA-256 is {sha256} ({size_bytes} bytes), "
                f"but {promise.manifest} promises {promise.sha256} ({promised_size})",
                "Get the file again from the release, or the manifest that belongs to it.",
                blocks=True,
            )


def _manifests(root: Path) -> list[Path]:
    found = [path for name in MANIFEST_NAMES for path in root.rglob(name)]
    found += [path for path in root.rglob("*.sha256") if path.name != "MANIFEST.sha256"]
    if (members := root / MEMBER_MANIFEST).is_file():
        found.append(members)
    return sorted(path for path in found if path.is_file())


def _entries(manifest: Path, place: str) -> Iterator[tuple[str, str, int | None]]:
    """(name, digest, size) of each line or key, whatever the shape."""
    try:
        text = manifest.read_text(encoding="utf-8")
        if manifest.suffix == ".json":
            yield from _json_entries(json.loads(text), place)
        elif manifest.suffix == ".csv":
            for row in csv.DictReader(text.splitlines(), strict=True):
                yield row["path"], row["sha256"], int(row["size_bytes"])
        else:
            yield from _sum_entries(text, manifest, place)
    except (UnicodeDecodeError, ValueError, KeyError, TypeError, csv.Error, RecursionError) as error:
        raise _unreadable(
            place, f"it has none of the known manifest shapes ({type(error).__name__}: {error})"
        ) from error


def _json_entries(body: object, place: str) -> Iterator[tuple[str, str, int | None]]:
    if not isinstance(body, dict):
        raise _unreadable(place, "it is not a JSON object")
    if body.get("algorithm", "sha256") != "sha256":
        raise _unreadable(place, f"its algorithm is {body['algorithm']!r}, expected 'sha256'")
    files = body["files"] if isinstance(body.get("files"), dict) else body
    for name, entry in files.items():
        if isinstance(entry, str):
            yield name, entry, None
        else:
            yield name, entry["sha256"], int(entry["size_bytes"])


def _sum_entries(text: str, manifest: Path, place: str) -> Iterator[tuple[str, str, int | None]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        match = _SUM_LINE.fullmatch(line.strip())
        if match is None:
            raise _unreadable(place, f"line {number} is {line[:80]!r}, expected a digest and a path")
        # A sidecar names its file by its own name: `x.csv.sha256` covers `x.csv`.
        yield (match[2] or manifest.name.removesuffix(".sha256")).removeprefix("./"), match[1].lower(), None


def _unreadable(place: str, problem: str) -> EvidenceError:
    return EvidenceError(place, None, problem, "Get the manifest again from the release.", blocks=True)
