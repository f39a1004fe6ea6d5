"""Replace a warehouse only when its successor is complete; the old file stays good at every moment.

The order of the steps, and why each is there, is in docs/decisions/replacing-the-file.md. In short: lock; bring the
old file to rest; hold it open read-only, so that no writer can begin; build in a folder of its own beside it;
checkpoint; one `os.replace`. The old file itself is never moved, so there is no moment without a file.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import duckdb

from loaders.errors import EvidenceError

# The file a successor is built in always has this name: dbt would re-parse the project for another one.
SUCCESSOR_NAME = "warehouse.duckdb"
# A file written with this storage version opens in DuckDB 1.4 and newer, 2.x included.
STORAGE_VERSION = "v1.4.0"


@dataclass(frozen=True)
class Successor:
    """The warehouse that is being built: `path` inside `folder`, where dbt runs."""

    folder: Path
    path: Path


@contextmanager
def replacing(warehouse: Path, block_size: int | None = None) -> Iterator[Successor]:
    """Yield a successor that begins as a copy of `warehouse` (or empty); replace `warehouse` when the block ends well.

    `block_size` (bytes) is for a new, small file. Errors: EvidenceError (blocking) when another process builds or
    writes the file, or it cannot be opened. Whatever is raised inside the block leaves `warehouse` as it was.
    """
    warehouse = warehouse.absolute()
    if not warehouse.parent.is_dir():
        raise _blocked(warehouse, f"the folder {warehouse.parent} does not exist", "Make it, or name another file.")
    folder = warehouse.parent / f".{warehouse.name}.building"
    with _locked(warehouse):
        _recover(warehouse, folder)
        held = _bring_to_rest_and_hold(warehouse) if warehouse.exists() else None
        copied: BinaryIO | None = None
        try:
            folder.mkdir()
            successor = Successor(folder, folder / SUCCESSOR_NAME)
            if held is None:
                _create(successor.path, block_size)
            else:
                copied = _copy(warehouse, successor.path)
                if _wal(warehouse).exists():
                    shutil.copyfile(_wal(warehouse), _wal(successor.path))
            yield successor
            _finish(successor.path)
            if _wal(warehouse).exists():
                # Left in place it would be replayed, in silence, into the new file.
                _wal(warehouse).rename(_old_wal(warehouse))
            os.replace(successor.path, warehouse)
            _sync(warehouse.parent)
        finally:
            if held is not None:
                held.close()
            if copied is not None:
                copied.close()
            if not _old_wal(warehouse).exists() or not (folder / SUCCESSOR_NAME).exists():
                _old_wal(warehouse).unlink(missing_ok=True)
                shutil.rmtree(folder, ignore_errors=True)
            else:
                _recover(warehouse, folder)


@contextmanager
def _locked(warehouse: Path) -> Iterator[None]:
    path = warehouse.with_name(warehouse.name + ".lock")
    try:
        file = path.open("a+")
    except OSError as error:
        raise _blocked(
            warehouse, f"its folder cannot be written ({error.strerror})", "Name a file in a folder of yours."
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            raise _blocked(
                warehouse, f"another build has it ({_owner(file.read())})", "Wait for it to end, or stop it."
            ) from error
        file.truncate(0)
        json.dump({"pid": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds")}, file)
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)  # the file stays: deleting it would let two builds lock two files of one name


def _owner(text: str) -> str:
    try:
        owner = json.loads(text)
        return f"process {owner['pid']}, since {owner['since']}"
    except (ValueError, KeyError, TypeError):
        return "process unknown"


def _recover(warehouse: Path, folder: Path) -> None:
    """Clean up after a build that was killed. A set-aside WAL goes back unless the replacement had already happened."""
    if _old_wal(warehouse).exists():
        if (folder / SUCCESSOR_NAME).exists():
            _old_wal(warehouse).rename(_wal(warehouse))
        else:
            _old_wal(warehouse).unlink()
    shutil.rmtree(folder, ignore_errors=True)


def _bring_to_rest_and_hold(warehouse: Path) -> duckdb.DuckDBPyConnection:
    if _wal(warehouse).exists():
        try:
            with duckdb.connect(warehouse) as connection:
                connection.execute("checkpoint")
        except duckdb.IOException:
            pass  # somebody reads it: the WAL is copied along, and set aside when the file is replaced
    try:
        return duckdb.connect(warehouse, read_only=True)
    except duckdb.Error as error:
        raise _blocked(
            warehouse,
            f"it cannot be opened ({str(error).splitlines()[0]})",
            "End the process that writes it; if it is not a warehouse of this version, move it away.",
        ) from error


def _copy(warehouse: Path, to: Path) -> BinaryIO:
    """Copy the file and return it still open: closing any descriptor of a file ends every POSIX lock that this process
    has on it, the one DuckDB holds for us included, and a writer could begin."""
    source = warehouse.open("rb")
    try:
        with to.open("wb") as target:
            shutil.copyfileobj(source, target, 16 << 20)
    except BaseException:
        source.close()
        raise
    return source


def _create(path: Path, block_size: int | None) -> None:
    options = f"storage_version '{STORAGE_VERSION}'" + (f", block_size {block_size:d}" if block_size else "")
    with duckdb.connect() as connection:
        connection.execute(f"attach '{str(path).replace(chr(39), chr(39) * 2)}' as successor ({options})")


def _finish(path: Path) -> None:
    with duckdb.connect(path) as connection:
        connection.execute("checkpoint")
    if _wal(path).exists():
        raise _blocked(path, "its write-ahead log is still there after a checkpoint", "End whatever else has it open.")
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _wal(path: Path) -> Path:
    return path.with_name(path.name + ".wal")


def _old_wal(path: Path) -> Path:
    return path.with_name(path.name + ".wal.old")


def _blocked(warehouse: Path, problem: str, remedy: str) -> EvidenceError:
    return EvidenceError(str(warehouse), None, problem, remedy, "The warehouse is as it was.", blocks=True)
