"""Every fault of the scenarios meets the answer it must get from the loaders, and nothing but its file suffers."""

import inspect
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from loaders.digests import check, read_promises, sha256_of
from loaders.errors import EvidenceError
from loaders.registry import read_registry
from loaders.release import survey
from loaders.warehouse import FileOutcome, load_releases
from tests.synthetic import scenarios
from tests.synthetic.scenarios import FAULTS, MISSING_SPELLINGS
from tests.synthetic.sealing import ROOT_MANIFEST, Seal, reseal

REGISTRY = read_registry()

# One table is refused, and its message says what was found.
REFUSED = {
    "short_row": ":3: 5 fields",
    "long_row": ":3: 7 fields",
    "short_header": "the header lacks ['response_minimum_observed']",
    "duplicate_header_name": "the header has 'pair_id' and 'pair_id'",
    "malformed_table": "the quoting is broken",
    "missing_column": "the header lacks ['coverage']",
    "peak_in_gib": "observed_peak_mib is '35.2 GiB'",
    "not_utf8": "UTF-8",
    "byte_order_mark": "byte-order mark",
    "key_twice": "stands at line 2 already",
    "blank_in_a_column_that_is_never_missing": "observed_peak_mib is '', this column is never missing",
    "empty_file": "the file is empty",
}
# Nothing is refused: the fault is a line set aside, an absence, a text, or to be found by a count or a comparison.
TAKEN = {
    "torn_last_line",
    "nul_block",
    "missing_spelling",
    "missing_words_as_text",
    "nan_in_json",
    "unknown_column",
    "peak_silently_in_gib",
    "other_bytes",
    "cohort_rows_gone",
    "table_gone",
    "second_file_with_other_columns",
}
BLOCKING = {"unknown_status_word"}


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def load(connection: duckdb.DuckDBPyConnection, release: Path) -> dict[str, FileOutcome]:
    """Outcomes by path, without the registered tables that the sample does not hold."""
    outcomes = load_releases(connection, [survey(release, REGISTRY)], REGISTRY, datetime(2026, 1, 1))
    return {outcome.source_path: outcome for outcome in outcomes if outcome.status != "absent"}


def statuses(outcomes: dict[str, FileOutcome]) -> dict[str, str]:
    return {path: outcome.status for path, outcome in outcomes.items()}


def test_every_fault_has_its_answer_here():
    assert FAULTS.keys() == REFUSED.keys() | TAKEN | BLOCKING


def test_every_fault_says_what_it_is():
    assert all(inspect.getdoc(fault) for fault in FAULTS.values())


def test_the_sample_itself_has_no_fault(connection, sample: Path):
    assert set(statuses(load(connection, sample)).values()) == {"loaded"}


@pytest.mark.parametrize("name", REFUSED)
def test_the_table_with_the_fault_is_refused_and_every_other_one_loads(connection, broken: Path, name: str):
    place = FAULTS[name](broken)
    outcomes = load(connection, broken)
    assert outcomes[place].status == "refused"
    assert REFUSED[name] in outcomes[place].problem
    assert outcomes[place].problem.startswith(place)
    assert {path for path, status in statuses(outcomes).items() if status != "loaded"} == {place}


def test_a_torn_last_line_is_set_aside_when_nothing_proves_the_file(connection, broken: Path):
    # T4
    rows = len(scenarios.read_rows(broken / scenarios.PAIRS)) - 1
    place = scenarios.torn_last_line(broken, seal=Seal.REMOVED)
    outcome = load(connection, broken)[place]
    assert (outcome.status, outcome.row_count, outcome.rejected_count) == ("loaded", rows - 1, 1)
    assert connection.execute("select reason from raw.rejects").fetchall() == [("torn_last_line",)]


def test_a_file_torn_before_it_was_published_is_refused_for_its_width(connection, broken: Path):
    place = scenarios.torn_last_line(broken)
    outcome = load(connection, broken)[place]
    assert outcome.status == "refused"
    assert "fields" in outcome.problem


def test_nul_bytes_cost_one_line(connection, broken: Path):
    # T5
    rows = len(scenarios.read_rows(broken / scenarios.STAGES)) - 1
    outcome = load(connection, broken)[scenarios.STAGES]
    assert outcome.rejected_count == 0
    place = scenarios.nul_block(broken)
    with duckdb.connect() as again:
        outcome = load(again, broken)[place]
        assert (outcome.status, outcome.row_count, outcome.rejected_count) == ("loaded", rows, 1)
        assert again.execute("select reason, row_number from raw.rejects").fetchall() == [("nul_bytes", 4)]


@pytest.mark.parametrize("spelling", MISSING_SPELLINGS)
def test_each_spelling_of_missing_is_kept_apart_in_raw(connection, broken: Path, spelling: str):
    # T6
    scenarios.missing_spelling(broken, spelling)
    assert set(statuses(load(connection, broken)).values()) == {"loaded"}
    found = connection.execute(
        "select count(*) from raw.all_configurations where max_completed_run_peak_mib = ? "
        "and mean_completed_run_peak_mib = ?",
        [spelling, spelling],
    ).fetchone()
    assert found[0] >= 1


def test_words_for_nothing_stay_text_in_a_column_of_text(connection, broken: Path):
    # T7
    scenarios.missing_words_as_text(broken)
    assert set(statuses(load(connection, broken)).values()) == {"loaded"}
    found = connection.execute(
        "select exclusion_reason from raw.recorded_attempts where exclusion_reason in ('None', 'null') order by 1"
    )
    assert found.fetchall() == [("None",), ("null",)]


def test_a_nan_in_json_arrives_as_the_token(connection, broken: Path):
    # T8
    place = scenarios.nan_in_json(broken)
    assert load(connection, broken)[place].status == "loaded"
    found = connection.execute(
        "select count(*) from raw.all_configurations where lower(max_completed_run_peak_mib) = 'nan'"
    )
    assert found.fetchall() == [(1,)]


def test_an_unknown_column_is_kept_and_reported(connection, broken: Path):
    # T11
    place = scenarios.unknown_column(broken)
    outcome = load(connection, broken)[place]
    assert (outcome.status, outcome.unknown_columns) == ("loaded", ("sampler_build",))
    assert connection.execute("select distinct sampler_build from raw.stage_measurements").fetchall() == [("7",)]


def test_an_unknown_state_blocks_and_is_named_with_its_line(connection, broken: Path):
    # T12
    place = scenarios.unknown_status_word(broken)
    with pytest.raises(EvidenceError, match="observed_state says 'oom' at line 2") as raised:
        load(connection, broken)
    assert raised.value.blocks
    assert raised.value.place == place


def test_a_wrong_digest_blocks_before_a_row_is_read(broken: Path):
    place = scenarios.other_bytes(broken, seal=Seal.STALE)
    with pytest.raises(EvidenceError, match=f"{place}: SHA-256 is") as raised:
        survey(broken, REGISTRY)
    assert raised.value.blocks


def test_other_bytes_with_new_manifests_are_another_release(broken: Path):
    before = survey(broken, REGISTRY).digest
    scenarios.other_bytes(broken)
    assert survey(broken, REGISTRY).digest != before


def test_a_silent_gib_is_found_by_comparison_alone(connection, broken: Path):
    # T14: raw takes the number; it is far from the largest stage of its run.
    scenarios.peak_silently_in_gib(broken)
    assert set(statuses(load(connection, broken)).values()) == {"loaded"}
    found = connection.execute(
        "select count(*) from raw.eligible_runs as runs where cast(observed_peak_mib as double) < (select "
        "max(cast(observed_peak_mib as double)) from raw.stage_measurements where run_id = runs.run_id)"
    )
    assert found.fetchall() == [(1,)]


def test_rows_of_a_whole_study_are_missed_by_the_expectations_alone(connection, broken: Path):
    # X3
    scenarios.cohort_rows_gone(broken)
    assert set(statuses(load(connection, broken)).values()) == {"loaded"}
    found = connection.execute("select count(*) from raw.eligible_runs").fetchone()[0]
    expected = connection.execute(
        "select cast(expected as bigint) from raw.expectations where relation = 'historical.runs' and quantity = 'rows'"
    ).fetchone()[0]
    studies = connection.execute(
        "select cast(expected as bigint) from raw.expectations "
        "where relation = 'historical.runs' and quantity = 'study' and member = 'four_gpu'"
    ).fetchone()[0]
    assert studies > 0
    assert found == expected - studies


def test_a_table_that_is_gone_is_told_when_it_was_promised(broken: Path):
    place = scenarios.table_gone(broken, seal=Seal.STALE)
    assert survey(broken, REGISTRY).promised_but_absent == (place,)


def test_a_table_that_was_never_promised_is_merely_absent(connection, broken: Path):
    place = scenarios.table_gone(broken)
    assert survey(broken, REGISTRY).promised_but_absent == ()
    assert place not in load(connection, broken)


def test_a_second_file_of_a_view_has_other_columns_than_the_first(broken: Path):
    # T10: the fault itself; the registry decides whether the second path is a file of the view.
    second = scenarios.second_file_with_other_columns(broken)
    first_header, second_header = (scenarios.read_rows(broken / p)[0] for p in (scenarios.FEASIBILITY, second))
    assert first_header != second_header


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_refreshed_manifests_promise_what_is_there(broken: Path, name: str):
    FAULTS[name](broken)
    promises = read_promises(broken)
    for place, promised in promises.items():
        check(place, *sha256_of(broken / place), promised)
    present = {path.relative_to(broken).as_posix() for path in broken.rglob("*") if path.is_file()}
    assert present - promises.keys() == {ROOT_MANIFEST}


def test_refreshing_an_unchanged_release_changes_no_byte(broken: Path, sample: Path):
    reseal(broken)
    for place in ("benchmark/manifest.json", "benchmark/decision/results/manifest.json"):
        assert (broken / place).read_bytes() == (sample / place).read_bytes()


def test_without_manifests_nothing_is_proved(connection, broken: Path):
    scenarios.unknown_column(broken, seal=Seal.REMOVED)
    assert {outcome.digest_check for outcome in load(connection, broken).values()} == {"not_covered"}
