"""The written tables of the sample agree with each other and show every case their readers must meet.

What is built from them, and the totals of the card, are tested in tests/build/test_sample.py.
"""

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from loaders.digests import check, read_promises, sha256_of
from loaders.registry import PROJECT, read_registry
from tests.releases import read_csv, upstream

REGISTRY = read_registry()


def rows(sample: Path, table: str) -> list[dict[str, str]]:
    return read_csv(sample / REGISTRY.tables[table].paths[0])


def test_the_command_writes_the_same_bytes_whatever_the_hash_seed(sample: Path, tmp_path: Path):
    # Sets have another order in each process: none of it may reach a file.
    out = tmp_path / "out"
    command = [sys.executable, "-m", "tests.synthetic", "sample", "--out", str(out)]
    subprocess.run(command, cwd=PROJECT, env=os.environ | {"PYTHONHASHSEED": "7"}, check=True)
    written = {path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert written == {path.relative_to(sample): path.read_bytes() for path in sample.rglob("*") if path.is_file()}


def test_every_manifest_verifies_and_every_file_is_covered(sample: Path):
    promises = read_promises(sample)
    for place, promised in promises.items():
        check(place, *sha256_of(sample / place), promised)
    present = {path.relative_to(sample).as_posix() for path in sample.rglob("*") if path.is_file()}
    tables = {path for path in present if not path.startswith("releases/")}
    assert tables - promises.keys() == {"MANIFEST.sha256"}


def test_all_views_of_the_card_are_there(sample: Path):
    assert [t.name for t in REGISTRY.tables.values() if t.is_view and not (sample / t.paths[0]).is_file()] == []


def test_headers_of_known_tables_are_the_registered_ones(sample: Path):
    for table in REGISTRY.tables.values():
        path = sample / table.paths[0]
        if table.columns and table.format == "csv" and path.is_file():
            header = path.read_text().split("\n", 1)[0].split(",")
            assert header == [c.name for c in table.columns if c.is_required or c.name in header], table.name


def test_every_run_has_the_peak_of_its_largest_stage(sample: Path):
    largest: dict[str, float] = defaultdict(float)
    for stage in rows(sample, "stage_measurements"):
        largest[stage["run_id"]] = max(largest[stage["run_id"]], float(stage["observed_peak_mib"]))
    assert {row["run_id"]: float(row["observed_peak_mib"]) for row in rows(sample, "eligible_runs")} == largest


def test_counts_and_labels_of_a_configuration_are_those_of_its_runs_and_attempts(sample: Path):
    runs, attempts = defaultdict(list), defaultdict(list)
    for row in rows(sample, "eligible_runs"):
        runs[row["configuration_id"]].append(row)
    for row in rows(sample, "recorded_attempts"):
        attempts[row["configuration_id"]].append(row)
    for outcome in rows(sample, "outcomes"):
        own, own_attempts = runs[outcome["configuration_id"]], attempts[outcome["configuration_id"]]
        states = Counter(run["observed_state"] for run in own)
        peaks = [float(run["completed_run_peak_mib"]) for run in own if run["completed_run_peak_mib"]]
        # release format 4.4
        worst = next(s for s in ("memory_failure", "above_margin", "within_margin") if states[s])
        assert outcome["observed_state"] == (worst if len(own) == 3 else "not_repeated")
        assert int(outcome["distinct_seeds"]) == len({run["training_seed"] for run in own}) == len(own)
        assert [int(outcome[f"{state}_processes"]) for state in states] == list(states.values())
        assert outcome["max_completed_run_peak_mib"] == (str(max(peaks)) if peaks else "")
        assert int(outcome["recorded_attempts"]) == len(own_attempts)
        assert int(outcome["excluded_attempts"]) == sum(row["eligible"] == "0" for row in own_attempts)


def test_a_run_has_the_state_of_its_peak_and_its_failure(sample: Path):
    # release format 4.3; the limit itself is within
    for run in rows(sample, "eligible_runs"):
        if run["completed_requested_work"] == "1":
            expected = "within_margin" if float(run["observed_peak_mib"]) <= 38_912 else "above_margin"
            assert (run["observed_state"], run["failure_kind"]) == (expected, "")
            assert run["completed_run_peak_mib"] == run["observed_peak_mib"]
        else:
            assert (run["observed_state"], run["completed_run_peak_mib"]) == ("memory_failure", "")
            assert run["failure_kind"]


def test_every_label_case_occurs(sample: Path):
    outcomes = [row for row in rows(sample, "outcomes") if row["label_scope"] == "eligible_resource_outcomes"]
    mixes = {
        tuple(int(row[f"{state}_processes"]) for state in ("within_margin", "above_margin", "memory_failure"))
        for row in outcomes
    }
    assert {(3, 0, 0), (0, 3, 0), (2, 1, 0), (0, 0, 3)} <= mixes
    peaks = {row["completed_run_peak_mib"]: row["observed_state"] for row in rows(sample, "eligible_runs")}
    assert peaks["38912.0"] == "within_margin"
    studies = Counter(row["study"] for row in rows(sample, "configurations"))
    assert studies.keys() == REGISTRY.vocabularies["study"]


def test_failed_runs_were_seen_both_small_and_near_capacity(sample: Path):
    failed = [float(r["observed_peak_mib"]) for r in rows(sample, "eligible_runs") if r["failure_kind"]]
    assert min(failed) < 20_480
    assert max(failed) > 40_000


def test_settings_and_conditions_are_blank_in_some_studies_and_filled_in_others(sample: Path):
    configurations = rows(sample, "configurations")
    for column in ("condition", "allocator_trace_enabled", "val_before_train", "save_freq", "resume_mode"):
        assert {bool(row[column]) for row in configurations} == {True, False}, column
    assert {row["gpu_count"] for row in configurations} == {"2", "4"}
    assert {row["parameter_offload"] for row in configurations} == {"True", "False"}


def test_every_word_of_a_historical_attempt_occurs_and_excluded_ones_completed_too(sample: Path):
    attempts = rows(sample, "recorded_attempts")
    assert {row["recorded_outcome"] for row in attempts} == REGISTRY.vocabularies["recorded_outcome"]
    excluded = Counter(row["recorded_outcome"] for row in attempts if row["eligible"] == "0")
    assert excluded["completed"] >= 1
    assert excluded["memory_failure"] >= 1
    slots = Counter(row["experiment_id"] for row in attempts)
    assert max(slots.values()) > 1  # a slot was tried again
    last_steps = {row["last_completed_step_if_documented"] for row in attempts if row["study"] == "temporal_100"}
    assert len(last_steps - {""}) == 2


def test_every_coverage_of_a_stage_occurs(sample: Path):
    found = {row["coverage"] for row in rows(sample, "stage_measurements")}
    assert found == REGISTRY.vocabularies["stage_coverage"]


def test_a_job_number_names_no_run(sample: Path):
    jobs = Counter(row["job_id"] for row in rows(sample, "eligible_runs"))
    assert max(jobs.values()) == 2


def test_never_started_conditions_say_nan_and_not_zero(sample: Path):
    found = rows(sample, "not_started_conditions")
    assert found
    assert {(row["attempted"], row["observed_peak_mib"], row["actor_update_peak_mib"]) for row in found} == {
        ("0", "nan", "nan")
    }


def test_the_two_state_view_says_nan_where_nothing_succeeded(sample: Path):
    means = {(r["successful_repetitions"] == "0", r["mean_success_peak_mib"] == "nan") for r in rows(sample, "configuration_feasibility")}  # fmt: skip
    assert means == {(True, True), (False, False)}


def test_all_four_tracks_have_queries_over_known_configurations_of_other_cases(sample: Path):
    queries = rows(sample, "transfer_queries")
    cases = {row["configuration_id"]: row["case_id"] for row in rows(sample, "all_configurations")}
    assert {query["track"] for query in queries} == REGISTRY.vocabularies["track"]
    for query in queries:
        assert cases[query["source_configuration_id"]] == query["source_case_id"]
        assert cases[query["target_configuration_id"]] == query["target_case_id"]
        assert query["source_case_id"] != query["target_case_id"]


def test_every_estimation_measure_is_sometimes_there_and_sometimes_missing(sample: Path):
    for table, columns in {
        "larger_model_configurations": ("completed_peak_mib", "maximum_known_completed_peak_mib", "donor_copy_predicted_peak_mib"),
        "larger_model_processes": ("completed_peak_mib", "observed_task_peak_mib", "task_runtime_seconds", "task_gpu_seconds"),
        "larger_model_pairs": ("peak_difference_4_minus_2_mib", "runtime_difference_4_minus_2_seconds"),
        "expanded_host_configurations": ("completed_peak_mib", "maximum_known_completed_peak_mib"),
        "expanded_host_processes": ("completed_peak_mib", "observed_task_peak_mib", "task_runtime_seconds"),
        "expanded_host_pairs": ("peak_difference_4_minus_2_mib",),
    }.items():  # fmt: skip
        for column in columns:
            assert {row[column] == "" for row in rows(sample, table)} == {True, False}, (table, column)


def test_only_the_panel_with_an_unstarted_slot_has_reasons(sample: Path):
    assert "reason" in rows(sample, "larger_model_processes")[0]
    assert "reason" not in rows(sample, "expanded_host_processes")[0]
    assert {row["failure_stage"] for row in rows(sample, "larger_model_processes")} >= {"not_started", "training"}


def test_admission_shows_a_repair_a_slot_without_process_and_an_unresolved_failure(sample: Path):
    attempts = rows(sample, "admission_attempts")
    first, second = sorted(
        (a for a in attempts if a["slot_id"] == next(b["slot_id"] for b in attempts if b["attempt_index"] == "2")),
        key=lambda row: row["attempt_index"],
    )
    assert first["repair_reason"] in REGISTRY.vocabularies["repair_reason"]
    assert (second["repair_reason"], second["state"]) == ("", "within_margin")
    started = {(row["slot_id"], row["job_id"]) for row in attempts}
    idle = [r for r in rows(sample, "admission_allocations") if r["process_started"] == "False"]
    assert idle
    assert not started & {(row["slot_id"], row["job_id"]) for row in idle}
    unresolved = [r for r in rows(sample, "admission_candidates") if r["evaluation_state"] == "unresolved"]
    assert any(row["evaluation_known_memory_failure"] == "True" for row in unresolved)


def test_nothing_measured_in_the_sample_carries_a_published_run_or_configuration_id(sample: Path):
    # The ids of the historical tables are hashes, so one setting or job that differs is enough.
    real = upstream()
    for table, column in (
        ("configurations", "configuration_id"),
        ("eligible_runs", "run_id"),
        ("recorded_attempts", "attempt_id"),
        ("transfer_queries", "query_id"),
        ("admission_attempts", "attempt_id"),
    ):
        published = {row[column] for row in read_csv(real / REGISTRY.tables[table].paths[0])}
        assert not published & {row[column] for row in rows(sample, table)}, table


def test_the_release_record_says_synthetic(sample: Path):
    record = json.loads((sample / "release.json").read_text())
    assert (record["release"], record["synthetic"]) == ("sample-1", True)


def test_no_cell_of_the_sample_is_an_absolute_path(sample: Path):
    # Real records keep the paths of the cluster that ran them; tables are relative to the archive (release format 1.3).
    for path in sample.rglob("*.csv"):
        assert [cell for row in read_csv(path) for cell in row.values() if cell.startswith("/")] == [], path.name
