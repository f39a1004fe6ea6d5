"""Refresh or remove the manifests of a written release after its files were changed (shapes: release format 1.5)."""

import hashlib
import json
from enum import Enum
from pathlib import Path

# Inner manifests first: the root one covers them too.
INNER_MANIFESTS = (
    "benchmark/manifest.json",
    "benchmark/decision/results/manifest.json",
    "benchmark/estimation/results/output_manifest.json",
    "benchmark/host_capacity/results/output_manifest.json",
)
ROOT_MANIFEST = "MANIFEST.sha256"


class Seal(Enum):
    """What becomes of the manifests when a file is changed.

    REFRESHED: they say the new digests, as if the release had been published with the fault.
    STALE:     they still say the old ones, as after a broken download.
    REMOVED:   nothing covers any file.
    """

    REFRESHED = "refreshed"
    STALE = "stale"
    REMOVED = "removed"


def apply(seal: Seal, release: Path) -> None:
    """Bring the manifests of `release` into the state `seal` names."""
    if seal is Seal.REFRESHED:
        reseal(release)
    elif seal is Seal.REMOVED:
        unseal(release)


def reseal(release: Path) -> None:
    """Rewrite every manifest below `release`: new digests, files that are gone left out, new ones in the root's."""
    for place in INNER_MANIFESTS:
        manifest = release / place
        if manifest.is_file():
            body = json.loads(manifest.read_text(encoding="utf-8"))
            is_wrapped = isinstance(body.get("files"), dict)
            entries = _entries(manifest.parent, body["files"] if is_wrapped else body)
            body = body | {"files": entries} if is_wrapped else entries
            manifest.write_text(json.dumps(body, indent=2) + "\n", encoding="utf-8", newline="")
    root = release / ROOT_MANIFEST
    if root.is_file():
        paths = sorted(p.relative_to(release).as_posix() for p in release.rglob("*") if p.is_file() and p != root)
        lines = "".join(f"{_sha256(release / path)}  {path}\n" for path in paths)
        root.write_text(lines, encoding="utf-8", newline="")


def unseal(release: Path) -> None:
    """Delete the manifests, so that no digest is promised by anything but an archive's sidecar."""
    for place in (*INNER_MANIFESTS, ROOT_MANIFEST):
        (release / place).unlink(missing_ok=True)


def _entries(folder: Path, listed: dict[str, object]) -> dict[str, object]:
    """The listed files that are still there, each in the form it had: a bare digest, or digest and size."""
    entries: dict[str, object] = {}
    for name, entry in listed.items():
        path = folder / name
        if path.is_file():
            size = path.stat().st_size
            entries[name] = _sha256(path) if isinstance(entry, str) else {"sha256": _sha256(path), "size_bytes": size}
    return entries


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
