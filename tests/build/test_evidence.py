"""Raw evidence against the published tables: all that can be derived agrees, and one change makes one row differ."""

from pathlib import Path

import pytest

from tests.build.conftest import query, rlvram
from tests.releases import read_csv, upstream
from tests.synthetic.from_tables import ARCHIVE, archive_bytes, evidence_members, write_from_tables
from tests.synthetic.release import write_sample
from tests.synthetic_archive import write_bytes


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse of the real tables with made-up evidence whose attempts, peaks, stages and diagnoses are theirs."""
    folder = tmp_path_factory.mktemp("fitted")
    write_from_tables(upstream(), folder / "release")
    done = rlvram("build", "release", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "warehouse.duckdb"


def test_everything_derivable_of_the_real_tables_agrees_with_raw_evidence(fitted: Path):
    # decisions.md 22: five excluded attempts have no evidence files; one failure is known from a scheduler log alone.
    found = query(
        fitted, "select entity, quantity, status, count(*) from evidence.reconciliation group by all order by all"
    )
    assert found == [
        ("attempt", "failure_kind", "agrees", 55),
        ("attempt", "failure_kind", "evidence_missing", 1),
        ("attempt", "failure_kind", "not_derivable", 15),
        ("attempt", "recorded_outcome", "agrees", 65),
        ("attempt", "recorded_outcome", "evidence_missing", 5),
        ("attempt", "recorded_outcome", "not_derivable", 1),
        ("configuration", "observed_state", "agrees", 212),
        ("run", "completed_requested_work", "agrees", 612),
        ("run", "failure_kind", "agrees", 612),
        ("run", "observed_peak_mib", "agrees", 612),
        ("run", "observed_state", "agrees", 612),
        ("run", "terminal_stage", "agrees", 612),
        ("stage", "coverage", "agrees", 3434),
        ("stage", "observed_peak_mib", "agrees", 3434),
    ]


def test_every_agreement_about_a_run_or_stage_names_the_member_that_proves_it(fitted: Path):
    found = query(
        fitted,
        "select count(*) from evidence.reconciliation where status = 'agrees' and entity in ('run', 'stage') "
        "and (member_path is null or member_sha256 is null)",
    )
    assert found == [(0,)]


def test_a_slot_level_link_and_its_target_are_one_attempt(fitted: Path):
    # A5, traps 14 to 16: 678 attempts have files; a link beside a nested trial makes no second one.
    assert query(fitted, "select count(*), count(distinct (experiment_id, job_id)) from evidence.attempts") == [
        (678, 678)
    ]
    links = query(fitted, "select count(*) from raw.members where read_as = 'link'")[0][0]
    assert links > 0
    assert query(fitted, "select count(*) from raw.trials") == [(669,)]


def test_four_device_runs_keep_all_their_devices(fitted: Path):
    found = query(
        fitted,
        "select device_count, count(*) from evidence.attempts semi join historical.runs using (experiment_id, job_id) "
        "group by 1 order by 1",
    )
    assert found == [(2, 558), (4, 54)]
    assert query(fitted, "select count(distinct gpu_index) from evidence.samples") == [(4,)]


def test_samples_are_unique(fitted: Path):
    found = query(
        fitted,
        "select count(*) - count(distinct (experiment_id, job_id, timestamp_ns, gpu_index)) from evidence.samples",
    )
    assert found == [(0,)]


def test_without_an_archive_nothing_is_claimed(real_tables_warehouse: Path):
    counts = query(
        real_tables_warehouse,
        "select (select count(*) from evidence.attempts), (select count(*) from evidence.reconciliation), "
        "(select count(*) from evidence.gaps)",
    )
    assert counts == [(0, 0, 0)]
    statuses = query(real_tables_warehouse, "select distinct status from meta.tables where cohort = 'evidence'")
    assert statuses == [("no_data",)]


def test_one_changed_sample_line_or_member_makes_exactly_its_rows_differ(tmp_path: Path):
    release = tmp_path / "release"
    write_sample(release)
    members = evidence_members(release)
    runs = read_csv(release / "benchmark/runs.csv")
    boundary = [row for row in runs if row["study"] == "boundary"]
    completed = [row for row in boundary if row["observed_state"] == "within_margin"]
    one, other = completed[0], completed[1]
    failed = next(row for row in boundary if row["failure_kind"] == "rollout_init_memory")

    # one sample: the largest reading of a stage that is not the run's largest, one MiB up
    stage = next(
        row for row in read_csv(release / "benchmark/stage_measurements.csv")
        if row["run_id"] == one["run_id"] and row["stage"] == "rollout"
    )  # fmt: skip
    peak = int(float(stage["observed_peak_mib"]))
    text = members[one["phase_memory_csv"]].decode()
    assert text.count(f",rollout,{peak},") == 1
    members[one["phase_memory_csv"]] = text.replace(f",rollout,{peak},", f",rollout,{peak + 1},").encode()
    # one line of a log, and one member
    members[failed["run_log"]] = b"dataset len: 7473\nSegmentation fault\n"
    del members[other["run_log"]]
    write_bytes(release / "releases", archive_bytes(members), ARCHIVE)

    done = rlvram("build", "release", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    warehouse = tmp_path / "warehouse.duckdb"
    differs = query(
        warehouse,
        "select entity, entity_id, quantity, published, derived from evidence.reconciliation "
        "where status = 'differs' order by all",
    )
    assert differs == [
        ("configuration", failed["configuration_id"], "observed_state", "memory_failure", "unresolved"),
        ("run", failed["run_id"], "failure_kind", "rollout_init_memory", "runtime"),
        ("run", failed["run_id"], "observed_state", "memory_failure", None),
        ("stage", f"{one['run_id']}/rollout", "observed_peak_mib", f"{peak}.000000", f"{peak + 1}.000000"),
    ]
    missing = query(
        warehouse,
        "select entity_id, quantity from evidence.reconciliation where status = 'evidence_missing' and entity = 'run'",
    )
    assert missing == [(other["run_id"], "failure_kind")]
    findings = query(warehouse, "select finding, member_path from evidence.findings order by all")
    assert {finding for finding, _ in findings} == {"recorded_file_absent", "traces_disagree"}
    assert query(warehouse, "select count(*) from evidence.gaps where eligible") == [(1,)]
