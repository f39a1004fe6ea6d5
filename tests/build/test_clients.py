"""Other people's clients open the file: DuckDB 1.5 and 2.0, from Python and from the command line (X1).

`make test` and `make test-duckdb2` make a small environment for each client, with nothing of ours in it.
"""

import json
import os
import subprocess
from pathlib import Path

import duckdb
import pytest

from loaders.registry import PROJECT

CLIENTS = {"duckdb15": "1.5.", "duckdb20": "2.0."}
READ = """
import duckdb, json, sys
connection = duckdb.connect(sys.argv[1], read_only=True)
print(json.dumps([
    duckdb.__version__,
    connection.execute("select count(*) from historical.runs").fetchone()[0],
    connection.execute("select count(*) from staging.stg_card__eligible_runs").fetchone()[0],
    connection.execute("select comment from duckdb_columns() where column_name = 'headroom_mib'").fetchone()[0][:15],
]))
"""
WRITE = """
import duckdb, sys
with duckdb.connect(sys.argv[1]) as connection:
    connection.execute("create table written_by_client as select 1 as one")
"""


def environment(client: str) -> Path:
    """The client's environment. In CI it must be there; elsewhere the test says what makes it."""
    folder = PROJECT / f".venv-client-{client}" / "bin"
    if not folder.is_dir():
        message = f"{folder} is not there: `make test` makes it"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.mark.parametrize("client", CLIENTS)
def test_a_python_client_reads_tables_views_and_comments(real_tables_warehouse: Path, client: str):
    done = subprocess.run(
        [environment(client) / "python", "-c", READ, real_tables_warehouse], capture_output=True, text=True, check=True
    )
    version, runs, staged, comment = json.loads(done.stdout)
    assert version.startswith(CLIENTS[client])
    assert (runs, staged, comment) == (612, 612, "Operating limit")


@pytest.mark.parametrize("client", CLIENTS)
def test_a_file_that_another_engine_wrote_to_still_opens_in_both(real_tables_copy: Path, client: str):
    subprocess.run([environment(client) / "python", "-c", WRITE, real_tables_copy], check=True)
    for reader in CLIENTS:
        done = subprocess.run(
            [environment(reader) / "python", "-c", READ, real_tables_copy], capture_output=True, text=True, check=True
        )
        assert json.loads(done.stdout)[1] == 612


def test_the_command_line_client_reads_the_file(real_tables_warehouse: Path):
    done = subprocess.run(
        [environment("duckdb15") / "duckdb", "-readonly", "-csv", "-noheader", real_tables_warehouse,
         "select label, count(*) from historical.configurations group by label order by 2 desc"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["within_margin,142", "above_margin,30", "memory_failure,28", "not_repeated,12"]


@pytest.mark.parametrize("client", CLIENTS)
def test_the_committed_example_opens_in_both(client: str):
    done = subprocess.run(
        [environment(client) / "python", "-c",
         "import duckdb, sys; print(duckdb.connect(sys.argv[1], read_only=True).execute("
         "'select count(*) from meta.tables').fetchone()[0])", PROJECT / "warehouse.duckdb.example"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    with duckdb.connect(PROJECT / "warehouse.duckdb.example", read_only=True) as connection:
        assert connection.execute("select count(*) from meta.tables").fetchone() == (int(done.stdout),)
