"""Whole warehouses, each built once for all tests, by the command a user types."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loaders.registry import PROJECT
from rlvram.summary import open_read_only
from tests.releases import upstream
from tests.synthetic.release import write_sample


def rlvram(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess:
    """Run the command; nothing is asserted of its exit code."""
    return _run([sys.executable, "-m", "rlvram.cli", *map(str, arguments)], cwd)


def dbt(*arguments: str, cwd: Path) -> subprocess.CompletedProcess:
    """Run dbt on the `warehouse.duckdb` in `cwd`, as a user does in a clone."""
    where = ["--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)]
    return _run([sys.executable, "-m", "dbt.cli.main", "--no-use-colors", arguments[0], *where, *arguments[1:]], cwd)


def _run(command: list[str], cwd: Path) -> subprocess.CompletedProcess:
    environment = {key: value for key, value in os.environ.items() if key != "RLVRAM_WAREHOUSE"}
    # `tests` is no installed package: a child finds the project where this process does.
    return subprocess.run(
        command, cwd=cwd, env=environment | {"PYTHONPATH": str(PROJECT)}, capture_output=True, text=True, check=False
    )


def query(warehouse: Path, sql: str) -> list[tuple]:
    """Rows of `sql`, by a read-only connection that is closed again."""
    with open_read_only(warehouse) as connection:
        return connection.execute(sql).fetchall()


def _built(folder: Path, release: Path) -> Path:
    done = rlvram("build", release, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "warehouse.duckdb"


@pytest.fixture(scope="session")
def real_tables_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse of the real tables. Read it; copy it before writing."""
    return _built(tmp_path_factory.mktemp("real"), upstream().absolute())


@pytest.fixture
def real_tables_copy(real_tables_warehouse: Path, tmp_path: Path) -> Path:
    """A copy that a test may write to."""
    return Path(shutil.copy(real_tables_warehouse, tmp_path / "warehouse.duckdb"))


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / ".sample"
    write_sample(folder)
    return folder


@pytest.fixture(scope="session")
def sample_warehouse(sample: Path) -> Path:
    done = rlvram("build", ".sample", cwd=sample.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "29 of the card's 29 views" in done.stdout
    return sample.parent / "warehouse.duckdb"
