"""Evidence that contradicts itself: nothing is blocked, nothing is papered over, and every difference is named."""

import csv
import shutil
from pathlib import Path

import pytest

from tests.build.conftest import query, rlvram
from tests.releases import upstream, write_release

RUNS = "benchmark/runs.csv"


@pytest.fixture(scope="module")
def contradicting(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The real tables with one run's completed peak gone, and one failed run's row gone; what the command said."""
    folder = tmp_path_factory.mktemp("contradicting")
    release = Path(shutil.copytree(upstream(), folder / "release", copy_function=shutil.copyfile))
    (release / "benchmark/manifest.json").unlink()  # the changed file is then covered by nothing, and said so
    with (release / RUNS).open(newline="") as file:
        rows = list(csv.DictReader(file))
    boundary = [row for row in rows if row["study"] == "boundary"]
    next(row for row in boundary if row["observed_state"] == "within_margin")["completed_run_peak_mib"] = "nan"
    rows.remove(next(row for row in boundary if row["observed_state"] == "memory_failure"))
    with (release / RUNS).open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    done = rlvram("build", "release", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "warehouse.duckdb", done.stdout


def test_a_run_without_proof_leaves_its_configuration_unresolved_never_labelled(contradicting: tuple[Path, str]):
    labels = dict(query(contradicting[0], "select label, count(*) from historical.configurations group by 1"))
    assert labels == {
        "within_margin": 141, "above_margin": 30, "memory_failure": 27, "not_repeated": 12, "unresolved": 2,
    }  # fmt: skip


def test_known_failures_of_the_unresolved_one_stay_visible(contradicting: tuple[Path, str]):
    found = query(
        contradicting[0],
        "select observed_state, known_memory_failure from historical.configurations where label = 'unresolved' order by 1",
    )
    assert found == [("memory_failure", True), ("within_margin", False)]


def test_every_difference_is_kept_with_both_values(contradicting: tuple[Path, str]):
    found = query(
        contradicting[0],
        "select entity, quantity, published, derived, count(*) from historical.reconciliation "
        "where status = 'differs' group by all order by all",
    )
    assert ("configuration", "observed_state", "memory_failure", "unresolved", 1) in found
    assert ("configuration", "observed_state", "within_margin", "unresolved", 1) in found
    assert ("configuration", "eligible_processes", "3", "2", 2) in found
    assert ("run", "observed_state", "within_margin", None, 1) in found
    assert sum(count for *_, count in found) == 11


def test_the_missing_peak_has_its_reason_and_its_spelling(contradicting: tuple[Path, str]):
    found = query(
        contradicting[0],
        "select absence_reason, spelling_name, row_count from meta.absences where relation = 'historical.runs' "
        "and column_name = 'completed_run_peak_mib' order by all",
    )
    assert found == [("not_recorded", "nan_token", 1), ("run_did_not_complete", "blank", 83)]


def test_the_command_names_the_findings(contradicting: tuple[Path, str]):
    said = contradicting[1]
    assert "11 published value(s) differ from ours: see historical.reconciliation" in said
    assert "Note: test historical_eligible_attempts_are_the_runs: 1 finding(s)." in said
    assert "that no manifest covers, so nothing proves them" in said


def test_labels_are_never_derived_across_editions(tmp_path: Path):
    """A newer edition that brings the configurations alone has no label of ours: the runs are another edition's."""
    name = "benchmark/configuration_results.csv"
    newer = {"release.json": '{"release": "newer"}', name: (upstream() / name).read_text()}
    write_release(tmp_path / "newer", newer)
    done = rlvram("build", upstream().absolute(), "newer", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    warehouse = tmp_path / "warehouse.duckdb"
    found = query(warehouse, "select label, label_absence, count(*) from historical.configurations group by all")
    assert found == [(None, "source_absent", 212)]
    assert query(warehouse, "select count(*) from historical.reconciliation where quantity = 'observed_state' "
                 "and entity = 'configuration'") == [(0,)]  # fmt: skip
    shown = dict(query(warehouse, "select table_name, release_id from raw.selected"))
    assert (shown["all_configurations"], shown["eligible_runs"][:7]) == ("newer", "tables-")
