"""What the result of a build depends on besides the release, as one digest."""

import hashlib
from importlib.metadata import version
from pathlib import Path

_LOADER_PARTS = ("loaders/**/*.py", "seeds/*.csv")
_CODE_PARTS = ("models/**/*", "macros/**/*", "tests/assertions/**/*", "dbt_project.yml", "profiles.yml")
_PACKAGES = ("duckdb", "dbt-core", "dbt-duckdb")


def loader_fingerprint(project: Path) -> str:
    """Changes when the same release could come to lie otherwise in `raw`."""
    return _hash(project, _LOADER_PARTS, [])


def code_fingerprint(project: Path) -> str:
    """Changes when the same release could give other marts."""
    return _hash(project, _LOADER_PARTS + _CODE_PARTS, [f"{package} {version(package)}" for package in _PACKAGES])


def _hash(project: Path, patterns: tuple[str, ...], facts: list[str]) -> str:
    digest = hashlib.sha256("\n".join(facts).encode())
    for path in sorted({path for pattern in patterns for path in project.glob(pattern) if path.is_file()}):
        digest.update(f"{path.relative_to(project).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
