"""What the real tables must show. Sources: release format, section 6 (rows named below), and the tables themselves."""

import pytest

from tests.build.conftest import query

COUNTS = [
    # historical, by label of ours: section 6, row 15
    ("select label, count(*) from historical.configurations group by all order by 2 desc, 1",
     [("within_margin", 142), ("above_margin", 30), ("memory_failure", 28), ("not_repeated", 12)]),
    # row 16
    ("select label, count(*) from historical.runs group by all order by 2 desc",
     [("within_margin", 440), ("above_margin", 88), ("memory_failure", 84)]),
    # rows 2 and 3
    ("select eligible, count(*) from historical.attempts group by all order by 1 desc", [(True, 612), (False, 71)]),
    # the exclusions, counted in benchmark/attempts.csv
    ("select recorded_outcome, count(*) from historical.attempts where not eligible group by all order by 2 desc, 1",
     [("other_failure", 55), ("no_trial_record", 11), ("completed", 2),
      ("accelerator_argument_error_then_noncompletion", 1), ("memory_failure", 1), ("timeout_unresolved_cause", 1)]),
    # rows 4 and 5
    ("select (select count(*) from historical.stages), (select count(*) from historical.never_started)", [(3434, 6)]),
    # row 8
    ("select study, count(*) from historical.runs group by all order by 2 desc, 1",
     [("boundary", 216), ("batch_reservation", 144), ("instrumentation", 72), ("four_gpu", 54), ("state_release", 36),
      ("batch_logging_control", 24), ("horizon_followup", 24), ("temporal_40", 18), ("sampling_calibration", 12),
      ("temporal_100", 12)]),
    # row 10: 588 principal processes, and row 12: 24 controls
    ("select study = 'batch_logging_control', count(*) from historical.runs group by all order by 1",
     [(False, 588), (True, 24)]),
    # row 11
    ("select study = 'batch_logging_control', count(*) from historical.attempts group by all order by 1",
     [(False, 657), (True, 26)]),
    # row 14
    ("select count(*), count(*) filter (where documented_completion), count(*) filter (where eligible), "
     "list(last_completed_step_if_documented order by last_completed_step_if_documented) filter (where not eligible) "
     "from historical.attempts where study = 'temporal_100'", [(14, 12, 12, [63, 77])]),
    # rows 6 and 7
    ("select track, count(*), count(distinct task_id) from transfer.queries group by all order by 2 desc",
     [("workload_transfer", 216, 12), ("model_transfer", 144, 24), ("gpu_count_transfer", 36, 12),
      ("horizon_transfer", 4, 4)]),
    ("select count(*), count(distinct target_configuration_id), (select count(*) from transfer.tasks), "
     "(select count(*) from transfer.configurations) from transfer.queries", [(400, 94, 52, 98)]),
    # rows 24 to 26
    ("select state, count(*) from admission.attempts group by all order by 2 desc",
     [("within_margin", 24), ("memory_failure", 16), ("above_margin", 8)]),
    ("select label, count(*) from admission.candidates group by all order by 2 desc",
     [("within_margin", 6), ("memory_failure", 4), ("above_margin", 2)]),
    ("select (select count(*) from admission.stages), (select count(*) from admission.realized_work), "
     "(select count(*) from admission.allocations)", [(294, 48, 48)]),
    # row 31; and row 33: three unresolved settings with a known failure
    ("select observed_state, count(*), count(*) filter (where known_memory_failure) from larger_models.configurations "
     "group by all order by 1", [("memory_failure", 6, 6), ("unresolved", 6, 3)]),
    ("select count(*), count(*) filter (where launched), count(*) filter (where eligible), count(distinct pair_id) "
     "from larger_models.processes", [(36, 34, 23, 18)]),
    # row 32: 7 host memory, 4 early set-up, 2 not started
    ("select failure_stage = 'not_started', coalesce(failure_kind, '') = 'vllm_executor_failure', count(*) "
     "from larger_models.processes where state = 'unresolved' group by all order by 1, 2",
     [(False, False, 4), (False, True, 7), (True, False, 2)]),
    # row 35
    ("select observed_state, count(*) from expanded_host.configurations group by all order by 1",
     [("memory_failure", 3), ("unresolved", 3)]),
    ("select count(*), count(*) filter (where eligible), (select count(*) from expanded_host.pairs) "
     "from expanded_host.processes", [(18, 9, 9)]),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "expected"), COUNTS)
def test_published_numbers_come_out_by_sql(real_tables_warehouse, sql: str, expected: list[tuple]):
    assert query(real_tables_warehouse, sql) == expected


def test_every_published_count_of_these_tables_is_met(real_tables_warehouse):
    compared, met = query(
        real_tables_warehouse,
        "select count(*), count(*) filter (where expected_count = found_count) from meta.published_counts",
    )[0]
    assert compared == met
    assert compared >= 108


def test_identifiers_follow_their_recipe(real_tables_warehouse):
    # release format 4.1: configurations, runs, attempts, queries
    found = query(
        real_tables_warehouse,
        "select quantity, status, count(*) from (from historical.reconciliation union all from transfer.reconciliation) "
        "where quantity in ('configuration_id', 'run_id', 'attempt_id', 'query_id', 'case_id', 'task_id') group by all order by 1",
    )
    assert found == [
        ("attempt_id", "agrees", 683),
        ("case_id", "agrees", 58),
        ("configuration_id", "agrees", 212),
        ("query_id", "agrees", 400),
        ("run_id", "agrees", 612),
        ("task_id", "agrees", 400),
    ]


@pytest.mark.parametrize("cohort", ["historical", "admission", "transfer"])
def test_nothing_we_derive_differs_from_what_was_published(real_tables_warehouse, cohort: str):
    counted = dict(query(real_tables_warehouse, f"select status, count(*) from {cohort}.reconciliation group by 1"))
    assert set(counted) == {"agrees"}
    assert counted["agrees"] > 100


def test_the_largest_stage_peak_of_a_run_is_its_observed_peak(real_tables_warehouse):
    found = query(
        real_tables_warehouse,
        "select count(*), count(*) filter (where peak = observed_peak_mib) from historical.runs inner join "
        "(select run_id, max(observed_peak_mib) as peak from historical.stages group by run_id) using (run_id)",
    )
    assert found == [(612, 612)]


def test_every_test_passed_and_none_only_warned(real_tables_warehouse):
    statuses = query(real_tables_warehouse, "select status, count(*) from meta.test_results group by 1")
    assert [status for status, _ in statuses] == ["pass"]
    assert statuses[0][1] > 100


def test_absent_views_are_named_and_claim_nothing(real_tables_warehouse):
    statuses = dict(query(real_tables_warehouse, "select status, count(*) from meta.tables group by 1"))
    assert statuses == {"loaded": 22, "no_data": 24}
    assert query(real_tables_warehouse, "select count(*) from historical.feasibility") == [(0,)]


def test_a_missing_measure_has_a_meaning_and_a_spelling(real_tables_warehouse):
    found = query(
        real_tables_warehouse,
        "select relation, column_name, absence_reason, spelling_name, row_count from meta.absences "
        "where relation in ('historical.runs', 'historical.never_started') order by all",
    )
    assert found == [
        ("historical.never_started", "actor_update_peak_mib", "not_started", "nan_token", 6),
        ("historical.never_started", "observed_peak_mib", "not_started", "nan_token", 6),
        ("historical.runs", "completed_run_peak_mib", "run_did_not_complete", "blank", 84),
        ("historical.runs", "headroom_mib", "run_did_not_complete", "derived", 84),
    ]


def test_a_peak_at_the_limit_is_within_and_headroom_says_how_far(real_tables_warehouse):
    found = query(
        real_tables_warehouse,
        "select count(*) from historical.runs where (headroom_mib >= 0) is distinct from (label = 'within_margin') "
        "and headroom_mib is not null",
    )
    assert found == [(0,)]


def test_comments_tell_unit_combination_and_absence(real_tables_warehouse):
    comment = query(
        real_tables_warehouse,
        "select comment from duckdb_columns() where schema_name = 'historical' and table_name = 'runs' "
        "and column_name = 'completed_run_peak_mib'",
    )[0][0]
    assert "Unit: MiB." in comment
    assert "Combines by maximum only" in comment
    assert "NULL: the run did not complete." in comment


def test_marts_hold_no_type_that_a_client_mishandles(real_tables_warehouse):
    types = query(
        real_tables_warehouse,
        "select distinct data_type from duckdb_columns() where database_name = 'rlvram' and schema_name in "
        "(select distinct split_part(relation, '.', 1) from meta.tables union all select 'meta')",
    )
    allowed = {"BIGINT", "INTEGER", "DECIMAL(18,6)", "DOUBLE", "VARCHAR", "BOOLEAN", "TIMESTAMP", "DATE"}
    assert {name for (name,) in types} <= allowed
