"""The command on good and bad input: what it says, how it exits, and what state the file is left in."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from loaders.registry import PROJECT
from tests.build.conftest import dbt, query, rlvram
from tests.releases import STAGES, STAGES_HEADER, STAGES_ROW, upstream, write_release
from tests.synthetic.release import write_sample

ALLOCATIONS = "benchmark/decision/results/allocations.csv"
ALLOCATIONS_TEXT = "slot_id,job_id,status,process_started,error\ns,1,complete,True,\n"


@pytest.fixture
def real_tables(tmp_path: Path) -> Path:
    """A copy of the real tables that a test may break."""
    return Path(shutil.copytree(upstream(), tmp_path / "release", copy_function=shutil.copyfile))


def test_a_second_build_changes_nothing_and_starts_no_dbt(real_tables_copy: Path):
    # A12, the first half
    before = real_tables_copy.read_bytes()
    done = rlvram("build", upstream().absolute(), "--json", cwd=real_tables_copy.parent)
    assert done.returncode == 0
    assert json.loads(done.stdout)["build"]["is_unchanged"]
    assert real_tables_copy.read_bytes() == before


def test_without_a_release_the_file_keeps_its_own(real_tables_copy: Path):
    done = rlvram("build", cwd=real_tables_copy.parent)
    assert done.returncode == 0
    assert "nothing changed, nothing was built" in done.stdout


def test_without_a_release_and_without_a_file_it_says_what_to_do(tmp_path: Path):
    done = rlvram("build", cwd=tmp_path)
    assert done.returncode == 1
    assert "there is no warehouse yet and no release was named. Name the folder of a release" in done.stderr
    assert done.stderr.count("\n") == 2
    assert list(tmp_path.glob("warehouse*")) == []


def test_a_folder_that_is_not_there_is_a_usage_error(tmp_path: Path):
    done = rlvram("build", tmp_path / "nowhere", cwd=tmp_path)
    assert done.returncode == 2
    assert "no such folder" in done.stderr


def test_an_unknown_word_leaves_the_warehouse_as_it_was(real_tables_copy: Path, real_tables: Path):
    # T12
    before = real_tables_copy.read_bytes()
    path = real_tables / ALLOCATIONS.replace("allocations", "stage_measurements")
    path.write_text(path.read_text().replace(",rollout,", ",dreaming,", 1))
    done = rlvram("build", real_tables, cwd=real_tables_copy.parent)
    assert done.returncode == 1
    line = next(n for n, text in enumerate(path.read_text().splitlines(), start=1) if ",dreaming," in text)
    assert f"stage_measurements.csv:{line}: phase says 'dreaming' at line {line}" in done.stderr
    assert "seeds/collector_statuses.csv" in done.stderr
    assert "the warehouse is as it was" in done.stderr
    assert real_tables_copy.read_bytes() == before


def test_a_wrong_digest_leaves_the_warehouse_as_it_was(real_tables_copy: Path, real_tables: Path):
    before = real_tables_copy.read_bytes()
    path = real_tables / "benchmark/runs.csv"
    path.write_text(path.read_text().replace("35730.0", "35731.0", 1))
    done = rlvram("build", real_tables, cwd=real_tables_copy.parent)
    assert done.returncode == 1
    assert "benchmark/runs.csv: SHA-256 is" in done.stderr
    assert "benchmark/manifest.json promises 8e00ac49" in done.stderr
    assert real_tables_copy.read_bytes() == before


def test_a_malformed_table_is_refused_and_the_rest_is_built(tmp_path: Path, real_tables: Path):
    # T9, and T4 in another file: the file is made, the exit code is 1, and both are told by name.
    path = real_tables / "benchmark/decision/results/realized_work.csv"
    path.write_text(path.read_text().replace(",7500,", ",7500 examples,", 1))
    torn = real_tables / "benchmark/estimation/results/pairs.csv"
    torn.write_text(torn.read_text().rstrip("\n")[:-3])
    done = rlvram("build", real_tables, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert (
        "refused: benchmark/decision/results/realized_work.csv:2: original_train_examples is '7500 examples'"
        in done.stderr
    )
    assert "rejected: 1 line(s) of benchmark/estimation/results/pairs.csv (the first, line 19, for torn_last_line)" in (
        done.stderr
    )
    warehouse = tmp_path / "warehouse.duckdb"
    statuses = dict(query(warehouse, "select relation, status from meta.tables where relation like 'admission.%'"))
    assert statuses["admission.realized_work"] == "refused"
    assert statuses["admission.attempts"] == "loaded"
    assert query(warehouse, "select count(*) from admission.realized_work") == [(0,)]
    # and again: nothing is to do, and the problems are still told
    again = rlvram("build", real_tables, cwd=tmp_path)
    assert again.returncode == 1
    assert "nothing changed" in again.stdout
    assert "7500 examples" in again.stderr


def test_rows_of_a_known_table_that_are_gone_fail_the_build(real_tables_copy: Path):
    # X3: counts are joined from the expected list, so a missing partition is found 0 times.
    with duckdb.connect(real_tables_copy) as connection:
        connection.execute("delete from raw.eligible_runs where study = 'four_gpu'")
    done = dbt(
        "build", "--select", "+meta__published_counts", "--indirect-selection", "buildable", cwd=real_tables_copy.parent
    )
    assert done.returncode == 1
    assert "rows_match_published_meta__published_counts_" in done.stdout
    missed = query(
        real_tables_copy,
        "select relation, quantity, member, expected_count, found_count from meta.published_counts "
        "where expected_count <> found_count and relation = 'historical.runs' and quantity = 'study'",
    )
    assert missed == [("historical.runs", "study", "four_gpu", 54, 0)]


def test_dbt_alone_builds_and_tests_the_loaded_sample(tmp_path: Path):
    write_sample(tmp_path / "sample")
    done = rlvram("load", "sample", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "the marts are not built: run rlvram build" in done.stdout
    for verb in ("build", "test"):
        done = dbt(verb, cwd=tmp_path)
        assert done.returncode == 0, done.stdout
    assert query(tmp_path / "warehouse.duckdb", "select count(*) from historical.runs") == [(164,)]
    # A plain dbt build may have used other models: the next rlvram build does not trust it to be its own.
    assert not json.loads(rlvram("build", "--json", cwd=tmp_path).stdout)["build"]["is_unchanged"]


def test_an_empty_warehouse_builds_and_claims_nothing(tmp_path: Path):
    # X4
    done = dbt("build", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    warehouse = tmp_path / "warehouse.duckdb"
    assert query(warehouse, "select distinct status, row_count from meta.tables") == [("no_data", 0)]
    assert query(warehouse, "select count(*) from meta.published_counts") == [(0,)]
    status = rlvram("status", cwd=tmp_path)
    assert status.returncode == 0
    assert "Absent from this release: " in status.stdout


@pytest.mark.parametrize("name", ["renamed", "historical"])
def test_a_renamed_or_attached_file_keeps_its_views(real_tables_warehouse: Path, tmp_path: Path, name: str):
    # The stem `historical` is also one of our schemas: attached under a name of its own it works all the same.
    copy = Path(shutil.copy(real_tables_warehouse, tmp_path / f"{name}.duckdb"))
    assert query(copy, "select count(*) from staging.stg_card__eligible_runs") == [(612,)]
    if name != "historical":
        with duckdb.connect(copy, read_only=True) as connection:
            assert connection.execute("select count(*) from staging.stg_card__eligible_runs").fetchone() == (612,)
    assert rlvram("status", "-w", copy, cwd=tmp_path).returncode == 0


def test_status_of_what_is_no_warehouse(tmp_path: Path):
    with duckdb.connect(tmp_path / "other.duckdb"):
        pass
    done = rlvram("status", "-w", "other.duckdb", cwd=tmp_path)
    assert (done.returncode, "it is a DuckDB file, but no warehouse" in done.stderr) == (1, True)
    done = rlvram("status", "-w", "none.duckdb", cwd=tmp_path)
    assert (done.returncode, "there is no such file" in done.stderr) == (1, True)


def test_two_folders_must_not_claim_one_tag(tmp_path: Path):
    release = '{"release": "r"}'
    one = write_release(tmp_path / "one", {"release.json": release, STAGES: STAGES_HEADER + STAGES_ROW})
    two = write_release(tmp_path / "two", {"release.json": release, ALLOCATIONS: ALLOCATIONS_TEXT})
    done = rlvram("load", one, two, cwd=tmp_path)
    assert done.returncode == 1
    assert "it says it is release r" in done.stderr


@pytest.mark.parametrize(("sent", "seconds"), [(signal.SIGINT, 5.0), (signal.SIGKILL, 0.1), (signal.SIGKILL, 5.0)])
def test_stopping_a_build_leaves_the_old_warehouse_and_the_next_one_works(tmp_path: Path, sent: int, seconds: float):
    # A11: early (while loading) and late (while dbt runs)
    first = write_release(tmp_path / "one", {STAGES: STAGES_HEADER + STAGES_ROW})
    assert rlvram("load", first, cwd=tmp_path).returncode == 0
    warehouse = tmp_path / "warehouse.duckdb"
    before = warehouse.read_bytes()
    process = subprocess.Popen(
        [sys.executable, "-m", "rlvram.cli", "build", upstream().absolute()],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(PROJECT)},
    )
    while not (tmp_path / ".warehouse.duckdb.building").exists() and process.poll() is None:
        time.sleep(0.02)
    time.sleep(seconds)
    process.send_signal(sent)
    _, errors = process.communicate()
    assert process.returncode != 0
    assert "Traceback" not in errors
    assert warehouse.read_bytes() == before
    time.sleep(0.5)  # a killed parent leaves its dbt child a moment
    assert rlvram("load", first, cwd=tmp_path).returncode == 0
    assert {path.name for path in tmp_path.iterdir() if path.name.startswith((".", "warehouse"))} <= {
        "warehouse.duckdb", "warehouse.duckdb.lock", ".warehouse.duckdb.building"
    }  # fmt: skip
