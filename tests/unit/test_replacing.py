"""Replacing a warehouse: the old file is good at every moment, whoever reads, writes, stops or kills."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import duckdb
import pytest

from loaders.errors import EvidenceError
from loaders.replacing import replacing


def make(path: Path, value: int) -> None:
    with duckdb.connect(path) as connection:
        connection.execute("create or replace table t as select ? as value", [value])


def value_of(path: Path) -> int:
    with duckdb.connect(path, read_only=True) as connection:
        return connection.execute("select value from t").fetchone()[0]


def leftovers(warehouse: Path) -> set[str]:
    return {path.name for path in warehouse.parent.iterdir()} - {warehouse.name, warehouse.name + ".lock"}


def spawn(code: str) -> subprocess.Popen:
    """Another Python process that runs `code`, prints `ready`, and waits to be ended."""
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def leave_a_wal(warehouse: Path) -> None:
    """A writer sets the value to 7 and dies without a checkpoint: its commit is in the write-ahead log alone."""
    writer = spawn(f"""
        import duckdb, time
        connection = duckdb.connect({str(warehouse)!r})
        connection.execute("update t set value = 7")
        print("ready", flush=True); time.sleep(60)
    """)
    writer.kill()
    writer.wait()


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    path = tmp_path / "w.duckdb"
    make(path, 1)
    return path


def test_a_good_end_replaces_the_file_and_leaves_nothing_behind(warehouse: Path):
    with replacing(warehouse) as successor:
        assert value_of(successor.path) == 1  # it begins as a copy
        make(successor.path, 2)
        assert value_of(warehouse) == 1
    assert value_of(warehouse) == 2
    assert leftovers(warehouse) == set()


def test_a_first_file_appears_only_at_the_end(tmp_path: Path):
    warehouse = tmp_path / "new.duckdb"
    with replacing(warehouse) as successor:
        make(successor.path, 1)
        assert not warehouse.exists()
    assert value_of(warehouse) == 1


@pytest.mark.parametrize("raised", [RuntimeError, KeyboardInterrupt])
def test_whatever_is_raised_leaves_the_old_file(warehouse: Path, raised: type[BaseException]):
    before = warehouse.read_bytes()
    with pytest.raises(raised), replacing(warehouse) as successor:
        make(successor.path, 2)
        raise raised
    assert warehouse.read_bytes() == before
    assert leftovers(warehouse) == set()


def test_a_second_build_is_refused_and_told_who_has_it(warehouse: Path):
    with (
        replacing(warehouse),
        pytest.raises(EvidenceError, match=rf"another build has it \(process {os.getpid()}, since 20"),
    ):
        with replacing(warehouse):
            pass


def test_a_writer_elsewhere_is_named(warehouse: Path):
    writer = spawn(f"""
        import duckdb, time
        connection = duckdb.connect({str(warehouse)!r})
        print("ready", flush=True); time.sleep(60)
    """)
    try:
        with pytest.raises(EvidenceError, match=rf"it cannot be opened.*PID {writer.pid}"), replacing(warehouse):
            pass
    finally:
        writer.kill()
        writer.wait()
    assert value_of(warehouse) == 1


def test_a_reader_keeps_its_old_file_and_does_not_stop_the_build(warehouse: Path):
    # X2
    reader = spawn(f"""
        import duckdb, time
        connection = duckdb.connect({str(warehouse)!r}, read_only=True)
        print("ready", flush=True); time.sleep(60)
    """)
    try:
        with replacing(warehouse) as successor:
            make(successor.path, 2)
        assert value_of(warehouse) == 2
    finally:
        reader.kill()


def test_no_writer_can_begin_while_a_build_goes_on(warehouse: Path):
    with replacing(warehouse) as successor:
        make(successor.path, 2)
        code = f"import duckdb; duckdb.connect({str(warehouse)!r})"
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert other.returncode != 0
        assert "lock" in other.stderr
    assert value_of(warehouse) == 2


def test_what_stands_in_an_old_wal_is_not_lost(warehouse: Path):
    leave_a_wal(warehouse)
    assert warehouse.with_name("w.duckdb.wal").exists()
    with replacing(warehouse) as successor:
        assert value_of(successor.path) == 7
    assert value_of(warehouse) == 7
    assert leftovers(warehouse) == set()


def test_an_old_wal_held_by_a_reader_is_not_replayed_into_the_new_file(warehouse: Path):
    leave_a_wal(warehouse)
    reader = spawn(f"""
        import duckdb, time
        connection = duckdb.connect({str(warehouse)!r}, read_only=True)
        print("ready", flush=True); time.sleep(60)
    """)
    try:
        with replacing(warehouse) as successor:
            assert value_of(successor.path) == 7
            make(successor.path, 8)
    finally:
        reader.kill()
    assert value_of(warehouse) == 8
    assert leftovers(warehouse) == set()


def test_a_wal_set_aside_by_a_killed_build_goes_back_when_nothing_was_replaced(warehouse: Path):
    leave_a_wal(warehouse)
    # As a kill between setting the WAL aside and os.replace leaves it.
    warehouse.with_name("w.duckdb.wal").rename(warehouse.with_name("w.duckdb.wal.old"))
    folder = warehouse.with_name(".w.duckdb.building")
    folder.mkdir()
    make(folder / "warehouse.duckdb", 99)
    with replacing(warehouse) as successor:
        assert value_of(successor.path) == 7
    assert leftovers(warehouse) == set()


def test_a_wal_set_aside_by_a_killed_build_is_dropped_when_the_file_was_replaced(warehouse: Path):
    warehouse.with_name("w.duckdb.wal.old").write_bytes(b"left over")
    with replacing(warehouse) as successor:
        assert value_of(successor.path) == 1
    assert leftovers(warehouse) == set()


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.2, 0.3])
def test_kill_9_at_any_moment_leaves_a_good_file_and_the_next_build_works(warehouse: Path, delay: float):
    # A11: the child replaces the file again and again, so that the kill falls into any of the steps.
    child = spawn(f"""
        import duckdb
        from pathlib import Path
        from loaders.replacing import replacing
        print("ready", flush=True)
        for value in range(2, 10_000):
            with replacing(Path({str(warehouse)!r})) as successor:
                with duckdb.connect(successor.path) as connection:
                    connection.execute("create or replace table t as select ? as value", [value])
    """)
    time.sleep(0.15 + delay)
    child.send_signal(signal.SIGKILL)
    child.wait()
    seen = value_of(warehouse)
    assert seen >= 1
    with replacing(warehouse) as successor:
        assert value_of(successor.path) == seen
        make(successor.path, 0)
    assert value_of(warehouse) == 0
    assert leftovers(warehouse) == set()


def test_a_file_that_is_no_warehouse_is_left_alone(tmp_path: Path):
    warehouse = tmp_path / "w.duckdb"
    warehouse.write_text("my notes")
    with pytest.raises(EvidenceError, match="it cannot be opened"), replacing(warehouse):
        pass
    assert warehouse.read_text() == "my notes"


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path):
    with pytest.raises(EvidenceError, match="does not exist"), replacing(tmp_path / "no" / "w.duckdb"):
        pass


def test_a_full_disk_leaves_the_old_file(warehouse: Path):
    # A11: the copy is written first; a file-size limit stands in for the full disk.
    code = textwrap.dedent(f"""
        import resource, signal
        from pathlib import Path
        from loaders.replacing import replacing
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        with replacing(Path({str(warehouse)!r})):
            raise SystemExit("it was written all the same")
    """)
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert child.returncode != 0
    assert "File too large" in child.stderr
    assert value_of(warehouse) == 1
    assert leftovers(warehouse) == set()
