"""The transfer queries of the sample: every pair the rule of release format 4.1 gives over what exists."""

from collections import Counter
from collections.abc import Iterator

from tests.synthetic.files import Files, Row
from tests.synthetic.historical import FAMILIES, LEVELS, WORKLOADS, Configuration, stages
from tests.synthetic.ids import hashed

# Enumerated by hand from the rule: 3 levels of 24 + 36 pairs, 3 four-device settings both ways, 2 long runs.
TRACKS = {"model_transfer": 72, "workload_transfer": 108, "gpu_count_transfer": 6, "horizon_transfer": 2}
TASKS = {"model_transfer": 24, "workload_transfer": 12, "gpu_count_transfer": 6, "horizon_transfer": 2}


def _pairs(found: list[Configuration]) -> Iterator[tuple[str, list[str], Configuration, Configuration]]:
    """(track, parts of the task, source, target), by track."""
    keys = ("study", "model_family", "workload_id", "configuration_level", "condition")
    by_key = {tuple(c.settings[key] for key in keys): c for c in found}
    for level in LEVELS:
        for family in FAMILIES:
            for workload, (_, legacy, *_rest) in WORKLOADS.items():
                here = by_key["boundary", family, workload, level, ""]
                for other in FAMILIES.keys() - {family}:
                    yield (
                        "model_transfer",
                        [family, other, legacy],
                        here,
                        by_key["boundary", other, workload, level, ""],
                    )
                for other in WORKLOADS.keys() - {workload}:
                    yield "workload_transfer", [family, legacy], here, by_key["boundary", family, other, level, ""]
                if four := by_key.get(("four_gpu", family, workload, level, "four_gpu")):
                    yield "gpu_count_transfer", [family, legacy, "two_to_four"], here, four
                    yield "gpu_count_transfer", [family, legacy, "four_to_two"], four, here
    for family in ("phi4_mini", "granite33_2b"):
        key = ("horizon_followup", family, "gsm8k", "interpolated_boundary")
        yield "horizon_transfer", [family, "gsm8k"], by_key[*key, "source"], by_key[*key, "long"]


def add_transfer(files: Files, found: list[Configuration]) -> set[str]:
    """Add the queries and the source-copy predictions; return the configurations that a query uses."""
    rows: list[Row] = []
    predictions: list[Row] = []
    for track, parts, source, target in _pairs(found):
        task_id = hashed("task", [track, *parts])
        query_id = hashed("query", [task_id, source.id, target.id])
        rows.append({
            "query_id": query_id, "task_id": task_id, "track": track, "source_configuration_id": source.id,
            "target_configuration_id": target.id, "source_case_id": source.case_id, "target_case_id": target.case_id,
        })  # fmt: skip
        predictions.append({"query_id": query_id, "predicted_state": source.label})
    files.table("transfer_queries", sorted(rows, key=lambda row: str(row["query_id"])))
    files.table("baseline_predictions", sorted(predictions, key=lambda row: str(row["query_id"])))
    used = {str(row[side]) for row in rows for side in ("source_configuration_id", "target_configuration_id")}
    targets = {row["target_configuration_id"] for row in rows}
    place = "Transfer tasks"
    files.expect("transfer_queries", "transfer.queries", "rows", {"": sum(TRACKS.values())}, place)
    files.expect("transfer_queries", "transfer.queries", "track", TRACKS, place)
    files.expect("transfer_queries", "transfer.queries", "distinct target_configuration_id", {"": len(targets)}, place)
    files.expect("transfer_queries", "transfer.tasks", "rows", {"": sum(TASKS.values())}, place)
    files.expect("transfer_queries", "transfer.tasks", "track", TASKS, place)
    return used


def summarise(files: Files, found: list[Configuration], used: set[str]) -> None:
    """Add the release's own summary.json: counts of the plan."""
    runs = [(c, run) for c in found for run in c.runs]
    files.document("benchmark/summary.json", {
        "protocol_version": "1.0", "configurations": len(found), "eligible_processes": len(runs),
        "recorded_attempts": len(runs) + sum(len(c.excluded) for c in found), "never_started_conditions": 3,
        "stage_measurements": sum(len(stages(c, run)) for c, run in runs), "transfer_configurations": len(used),
        "queries": sum(TRACKS.values()), "tasks": sum(TASKS.values()),
        "eligible_processes_by_study": dict(sorted(Counter(c.study for c, _ in runs).items())),
    })  # fmt: skip
