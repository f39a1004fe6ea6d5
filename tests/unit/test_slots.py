"""Three layouts, one identity: (slot, job)."""

import pytest

from loaders.slots import COUNTED, UNCOUNTED, UNKNOWN, place


@pytest.mark.parametrize(
    ("path", "kind", "slot", "job", "level"),
    [
        ("output/strengthening_factorial/s1/trial-7.json", "trial", "s1", "7", "slot"),
        ("output/strengthening_factorial/s1/phase-memory-8.csv", "phase_memory", "s1", "8", "slot"),
        ("output/revision_topology/s1/attempt-7/trial-7.json", "trial", "s1", "7", "attempt"),
        ("output/revision_topology/s1/trial-7.json", "trial", "s1", "7", "slot"),
        ("output/prospective_estimation/s1/attempt-7/gpu-device-map.json", "device_map", "s1", "7", "attempt"),
        (
            "output/prospective_estimation/s1/attempt-7/allocator-traces/allocator-9.jsonl",
            "allocator_trace",
            "s1",
            "7",
            "attempt",
        ),
        ("output/revision_topology/s1/attempt-7/training-7.log", "training_log", "s1", "7", "attempt"),
        ("output/revision_topology/s1/attempt-7/training-7.csv", "other", "s1", "7", "attempt"),
    ],
)
def test_an_attempt_is_found_in_every_layout(path, kind, slot, job, level):
    placement = place(path)
    assert (placement.kind, placement.experiment_id, placement.job_id, placement.level) == (kind, slot, job, level)


@pytest.mark.parametrize(
    ("path", "kind", "pair", "job"),
    [
        ("output/revision_topology/pairs/p1/pair-77.json", "pair", "p1", "77"),
        ("output/prospective_estimation/pairs/p1/pair.json", "estimation_pair", "p1", None),
        ("output/prospective_estimation/pairs/p1/pair-summary.json", "pair_summary", "p1", None),
        ("output/prospective_estimation/pairs/p1/period-2.json", "period", "p1", None),
        ("output/prospective_estimation/pairs/p1/ledger.jsonl", "ledger", "p1", None),
        ("profiles/strengthening/same_node/77/pair-0.json", "same_node_pair", None, "77"),
        ("profiles/strengthening/same_node/77/period1-baseline-0.csv", "idle_baseline", None, "77"),
    ],
)
def test_allocation_records_are_told_apart(path, kind, pair, job):
    placement = place(path)
    assert (placement.kind, placement.pair_id, placement.job_id) == (kind, pair, job)


@pytest.mark.parametrize(
    ("group", "status", "study"),
    [
        ("revision_temporal", COUNTED, "horizon_followup"),
        ("major_revision_cross_model_confirmatory", COUNTED, "boundary"),
        ("major_revision_residency", UNCOUNTED, None),
        ("benchmark_calibration_wave2_b", UNCOUNTED, None),
        ("phase_screening", UNCOUNTED, None),
        ("my_own_runs", UNKNOWN, None),
    ],
)
def test_a_group_is_counted_uncounted_or_unknown(group, status, study):
    placement = place(f"output/{group}/s/trial-7.json")
    assert (placement.group_status, placement.study, placement.is_read) == (status, study, status != UNCOUNTED)


@pytest.mark.parametrize(
    "path", ["output/g/s/attempt-1/x.pkl", "a/memory_snapshot-3.bin", "output/g/s/x.PICKLE", "x.pickle.gz"]
)
def test_a_pickle_is_never_read(path):
    assert (place(path).kind, place(path).is_read) == ("pickle", False)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("memory_tuner/attempt_exclusions.csv", "attempt_exclusions"),
        ("memory_tuner/rlvram_strengthening_same_node_period2.csv", "matrix"),
        ("benchmark/estimation/matrix.csv", "matrix"),
        ("benchmark/estimation/allocation_accounting_sacct.psv", "sacct"),
        ("benchmark/host_capacity/allocation_accounting.json", "accounting"),
        ("memory_tuner/log_parser.py", "other"),
        ("output", "other"),
    ],
)
def test_control_tables_and_accounting_have_their_readers(path, kind):
    assert place(path).kind == kind
