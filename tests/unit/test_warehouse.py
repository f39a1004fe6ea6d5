"""Loading releases into raw: what is kept, refused, rejected, forgotten, and which edition is shown."""

from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from loaders.errors import EvidenceError
from loaders.registry import PROVENANCE, read_registry
from loaders.release import survey
from loaders.warehouse import FileOutcome, load_releases
from tests.releases import STAGES, STAGES_HEADER, STAGES_ROW, upstream, write_release

REGISTRY = read_registry()
ALLOCATIONS = "benchmark/decision/results/allocations.csv"
ALLOCATIONS_TEXT = "slot_id,job_id,status,process_started,error\ns,1,complete,True,\n"
UNKNOWN_VIEW = "profiles/electronics_revision/release/outcomes.csv"  # a100_release


def load(connection: duckdb.DuckDBPyConnection, *folders: Path) -> dict[tuple[str, str], FileOutcome]:
    releases = [survey(folder, REGISTRY) for folder in folders]
    outcomes = load_releases(connection, releases, REGISTRY, datetime(2026, 1, 1))
    return {(outcome.release_id, outcome.table.name): outcome for outcome in outcomes}


def only(outcomes: dict[tuple[str, str], FileOutcome], table: str) -> FileOutcome:
    (found,) = [outcome for (_, name), outcome in outcomes.items() if name == table]
    return found


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def tagged(folder: Path, tag: str, files: dict[str, str]) -> Path:
    return write_release(folder, {"release.json": f'{{"release": "{tag}"}}', **files})


def test_rows_land_as_text_with_their_place(connection, tmp_path: Path):
    load(connection, tagged(tmp_path, "one", {STAGES: STAGES_HEADER + STAGES_ROW}))
    row = connection.execute("select * from raw.stage_measurements").fetchone()
    sha256 = connection.execute("select file_sha256 from raw.files where table_name = 'stage_measurements'").fetchone()[
        0
    ]
    assert row == (*STAGES_ROW.strip().split(","), STAGES, 2, sha256, "one", datetime(2026, 1, 1))
    types = connection.execute(
        "select distinct column_type from (describe raw.stage_measurements) where column_name not in ?",
        [list(PROVENANCE)],
    )
    assert types.fetchall() == [("VARCHAR",)]


def test_absent_tables_are_reported_and_never_stop_the_present_ones(connection, tmp_path: Path):
    outcomes = load(connection, write_release(tmp_path, {STAGES: STAGES_HEADER + STAGES_ROW}))
    statuses = {outcome.table.name: outcome.status for outcome in outcomes.values()}
    assert statuses.pop("stage_measurements") == "loaded"
    assert set(statuses.values()) == {"absent"}
    assert len(outcomes) == len(REGISTRY.tables)


def test_a_file_no_manifest_covers_is_loaded_and_said_so(connection, tmp_path: Path):
    outcomes = load(connection, write_release(tmp_path, {STAGES: STAGES_HEADER + STAGES_ROW}, sealed=False))
    assert only(outcomes, "stage_measurements").digest_check == "not_covered"


def test_a_torn_last_line_of_an_unproved_table_is_in_rejects(connection, tmp_path: Path):
    # T4
    text = STAGES_HEADER + STAGES_ROW + "run-1,cfg-1,idle,357"
    outcomes = load(connection, write_release(tmp_path, {STAGES: text}, sealed=False))
    assert (only(outcomes, "stage_measurements").row_count, only(outcomes, "stage_measurements").rejected_count) == (
        1,
        1,
    )
    reject = connection.execute("select source_path, row_number, reason, raw_text from raw.rejects").fetchall()
    assert reject == [(STAGES, 3, "torn_last_line", "run-1,cfg-1,idle,357")]


def test_a_malformed_table_is_refused_by_name_and_the_good_ones_load(connection, tmp_path: Path):
    # T9: rows read before the fault was met are gone too.
    bad = STAGES_HEADER + STAGES_ROW + "run-1,cfg-1\n"
    outcomes = load(connection, write_release(tmp_path, {STAGES: bad, ALLOCATIONS: ALLOCATIONS_TEXT}))
    assert only(outcomes, "admission_allocations").status == "loaded"
    refused = only(outcomes, "stage_measurements")
    assert refused.status == "refused"
    assert refused.problem.startswith(f"{STAGES}:3: 2 fields")
    assert connection.execute(
        "select count(*) from duckdb_tables() where table_name = 'stage_measurements'"
    ).fetchone() == (0,)


def test_two_files_of_one_table_must_be_the_same(connection, tmp_path: Path):
    # T10, for the one table that has two registered names.
    files = {"benchmark/decision/protocol.json": '{"a": 1}', "benchmark/decision/protocol.excerpt.json": '{"a": 2}'}
    outcomes = load(connection, write_release(tmp_path, files))
    refused = only(outcomes, "admission_protocol")
    assert refused.status == "refused"
    assert "protocol.json, benchmark/decision/protocol.excerpt.json differ" in refused.problem


def test_a_wrong_digest_blocks_before_anything_is_read(tmp_path: Path):
    folder = write_release(tmp_path, {STAGES: STAGES_HEADER + STAGES_ROW, ALLOCATIONS: ALLOCATIONS_TEXT})
    (folder / STAGES).write_text(STAGES_HEADER)
    (folder / ALLOCATIONS).write_text(ALLOCATIONS_TEXT + "\n")
    with pytest.raises(EvidenceError, match="2 file.s. are not what was published") as caught:
        survey(folder, REGISTRY)
    assert caught.value.blocks
    assert STAGES in str(caught.value)
    assert ALLOCATIONS in str(caught.value)


def test_a_folder_without_a_registered_table_is_no_release(tmp_path: Path):
    with pytest.raises(EvidenceError, match="no registered table is in this folder"):
        survey(tmp_path, REGISTRY)


def test_an_unknown_view_lands_by_its_header_with_all_columns(connection, tmp_path: Path):
    load(connection, write_release(tmp_path, {UNKNOWN_VIEW: "anything,source_path,\n1,here,2\n"}))
    row = connection.execute(
        "select anything, source_path__in_file, column_3, source_path from raw.a100_release"
    ).fetchall()
    assert row == [("1", "here", "2", UNKNOWN_VIEW)]


def test_two_editions_lie_side_by_side_and_the_last_named_is_shown(connection, tmp_path: Path):
    old = tagged(tmp_path / "old", "2026-01", {UNKNOWN_VIEW: "seed,peak\n1,10\n", STAGES: STAGES_HEADER + STAGES_ROW})
    new = tagged(tmp_path / "new", "2026-02", {UNKNOWN_VIEW: "seed,peak_mib\n1,20\n"})
    load(connection, old, new)
    rows = connection.execute("select release_id, seed, peak, peak_mib from raw.a100_release order by 1").fetchall()
    assert rows == [("2026-01", "1", "10", None), ("2026-02", "1", None, "20")]
    shown = dict(connection.execute("select table_name, release_id from raw.selected").fetchall())
    assert (shown["a100_release"], shown["stage_measurements"]) == ("2026-02", "2026-01")
    headers = connection.execute(
        "select header from raw.files where table_name = 'a100_release' order by release_id"
    ).fetchall()
    assert headers == [('["seed", "peak"]',), ('["seed", "peak_mib"]',)]


def test_where_the_last_edition_is_refused_no_older_one_steps_in(connection, tmp_path: Path):
    old = tagged(tmp_path / "old", "2026-01", {STAGES: STAGES_HEADER + STAGES_ROW})
    new = tagged(tmp_path / "new", "2026-02", {STAGES: STAGES_HEADER + "run-1,cfg-1\n"})
    load(connection, old, new)
    assert connection.execute("select * from raw.selected where table_name = 'stage_measurements'").fetchall() == []


def test_the_same_file_again_is_kept_and_what_is_not_named_is_forgotten(connection, tmp_path: Path):
    # A12
    old = tagged(tmp_path / "old", "2026-01", {UNKNOWN_VIEW: "seed,peak\n1,10\n"})
    new = tagged(tmp_path / "new", "2026-02", {UNKNOWN_VIEW: "seed,peak_mib\n1,20\n"})
    assert only(load(connection, old), "a100_release").is_new
    both = load(connection, old, new)
    assert [both[tag, "a100_release"].is_new for tag in ("2026-01", "2026-02")] == [False, True]
    load(connection, new)
    assert connection.execute("select release_id from raw.a100_release").fetchall() == [("2026-02",)]
    changed = tagged(tmp_path / "new", "2026-02", {UNKNOWN_VIEW: "seed,peak_mib\n1,21\n"})
    assert only(load(connection, changed), "a100_release").is_new
    assert connection.execute("select peak_mib from raw.a100_release").fetchall() == [("21",)]


def test_a_fault_in_the_middle_of_many_rows_leaves_none_of_them(connection, tmp_path: Path):
    rows = "".join(f"run-{i},cfg-1,idle,1.0,completed_run,a\n" for i in range(45_000))
    outcomes = load(connection, write_release(tmp_path, {STAGES: STAGES_HEADER + rows + "short\n"}))
    assert only(outcomes, "stage_measurements").status == "refused"
    assert connection.execute(
        "select count(*) from duckdb_tables() where table_name = 'stage_measurements'"
    ).fetchone() == (0,)


def test_names_that_are_sql_are_only_names(connection, tmp_path: Path):
    load(connection, write_release(tmp_path, {UNKNOWN_VIEW: '"x""; drop table raw.files; --",select\n1,2\n'}))
    assert connection.execute(
        "select * exclude (source_path, row_number, file_sha256, release_id, loaded_at) from raw.a100_release"
    ).fetchall() == [("1", "2")]


def test_the_real_tables_load_whole(connection):
    outcomes = load(connection, upstream())
    assert {o.status for o in outcomes.values()} == {"loaded", "absent"}
    counts = {
        name: only(outcomes, name).row_count
        for name in (
            "all_configurations",
            "eligible_runs",
            "recorded_attempts",
            "stage_measurements",
            "transfer_queries",
            "attempt_exclusions",
        )
    }
    # release format, section 6, rows 1 to 6, and section 3.5
    assert counts == {
        "all_configurations": 212,
        "eligible_runs": 612,
        "recorded_attempts": 683,
        "stage_measurements": 3434,
        "transfer_queries": 400,
        "attempt_exclusions": 118,
    }
    checks = {o.digest_check for o in outcomes.values() if o.status == "loaded" and not o.table.is_document}
    assert checks == {"verified", "known_edition"}
