"""What each member of an archive is, by its path alone (release format 2.1).

Three layouts hold an attempt: flat (files in the slot's folder), nested with a slot-level link to the trial, and
nested without
one. Either way the attempt is (slot, job): the slot is the folder below the run group, never `attempt-<job>`.
"""

import re
from typing import NamedTuple

# run group → study, for the groups whose runs are counted.
COUNTED_GROUPS = {
    "benchmark_v2_cross_family_confirmatory": "boundary",
    "major_revision_cross_model_confirmatory": "boundary",
    "strengthening_granite_confirmatory": "boundary",
    "strengthening_factorial": "batch_reservation",
    "strengthening_same_node_residency": "state_release",
    "benchmark_v2_temporal_confirmatory": "temporal_40",
    "strengthening_temporal_phases": "temporal_100",
    "benchmark_v2_telemetry_calibration": "sampling_calibration",
    "revision_instrumentation": "instrumentation",
    "revision_temporal": "horizon_followup",
    "revision_topology": "four_gpu",
    "review_instrumentation_batch": "batch_logging_control",
    "prospective_decision": "admission",
    "prospective_estimation": "estimation",
    "estimation_host_capacity": "host_followup",
}
ONE_ATTEMPT_STUDIES = frozenset({"estimation", "host_followup"})
# Groups that belong to no cohort: screening, compatibility, serving and withdrawn work. Listed, never read.
UNCOUNTED_GROUPS = frozenset(
    {
        "phase_screening", "phase_confirmatory", "phase_mitigation", "math_transfer", "instrumentation_smoke",
        "benchmark_3b",
        "benchmark_7b_4gpu", "grpo_smoke", "benchmark_code", "benchmark_code_expansion", "benchmark_grpo_math_1p5b",
        "benchmark_grpo_3b_gsm", "benchmark_shape_short", "benchmark_shape_short_3b", "benchmark_repetitions",
        "benchmark_sleep_ablation", "benchmark_case_expansion_v3_grpo_2gpu", "strengthening_granite_compatibility",
        "strengthening_matched_transfer_colocated", "cross_family_phi4", "multistep", "infrastructure_retries",
        "estimation-device-preflight",
    }
)  # fmt: skip
UNCOUNTED_PREFIXES = ("benchmark_calibration_wave2_", "major_revision_")
COUNTED, UNCOUNTED, UNKNOWN = "counted", "uncounted", "unknown"

CONTROL_TABLES = {
    "memory_tuner/attempt_exclusions.csv": "attempt_exclusions",
    "memory_tuner/failure_annotations.csv": "failure_annotations",
    "benchmark/decision/matrix.csv": "matrix",
    "benchmark/estimation/matrix.csv": "matrix",
    "benchmark/host_capacity/matrix.csv": "matrix",
}
_MATRIX = re.compile(
    r"memory_tuner/rlvram_(?:v2_cross_family_confirmatory|major_revision_cross_model_confirmatory|strengthening_granite_confirmatory"
    r"|strengthening_factorial|strengthening_same_node_period[12]|v2_temporal_confirmatory|strengthening_temporal|v2_telemetry_calibration"
    r"|revision_instrumentation|revision_temporal|revision_topology|review_instrumentation_batch)\.csv"
)
_PICKLE = re.compile(r"(?i)\.(?:pkl|pickle)(?:\.gz|\.zst|\.xz)?$|memory[-_]?snapshot")
_EVIDENCE = re.compile(
    r"(?:(?P<trial>trial)|(?P<training_log>training)|(?P<environment>environment)|(?P<phase_memory>phase-memory)"
    r"|(?P<gpu_memory>gpu-memory)|(?P<gpu_telemetry>gpu-telemetry)|(?P<response_lengths>response-lengths))-(?P<job>[^/]+)\.(?P<suffix>\w+)"
)
_SUFFIX = {"trial": "json", "training_log": "log", "environment": "json", "response_lengths": "jsonl"}
_ATTEMPT = re.compile(r"attempt-(?P<job>[^/]+)")
_ALLOCATOR = re.compile(r"allocator-traces/allocator-[^/]+\.jsonl")
_PAIR_FILES = {
    "pair.json": "estimation_pair",
    "ledger.jsonl": "ledger",
    "allocation-trace.jsonl": "allocation_trace",
    "pair-summary.json": "pair_summary",
}
_PAIR = re.compile(r"pair-(?P<job>[^/]+)\.json")
_PERIOD = re.compile(r"period-[0-9]+\.json")
_SAME_NODE = re.compile(
    r"profiles/strengthening/same_node/(?P<job>[^/]+)/(?:(?P<same_node_pair>pair-[^/]+\.json)|(?P<idle_baseline>period[0-9]+-baseline-[^/]+\.csv))"
)
_ACCOUNTING = re.compile(
    r"(?:.*/)?(?:(?P<sacct>allocation_accounting_sacct\.psv)|(?P<accounting>allocation_accounting\.json))"
)

OTHER, PICKLE = "other", "pickle"
SLOT, ATTEMPT, PAIR_FOLDER = "slot", "attempt", "pair"


class Placement(NamedTuple):
    """What a member is. `kind` names its reader, or is `other` or `pickle`; `level` is where in the layout it lies."""

    kind: str
    group_status: str | None = None
    run_group: str | None = None
    study: str | None = None
    level: str | None = None
    experiment_id: str | None = None
    job_id: str | None = None
    pair_id: str | None = None

    @property
    def is_read(self) -> bool:
        return self.kind not in (OTHER, PICKLE) and self.group_status != UNCOUNTED


def group_status(group: str) -> str:
    """`unknown` groups are read like counted ones, but have no study: other releases and users' own runs."""
    if group in COUNTED_GROUPS:
        return COUNTED
    return UNCOUNTED if group in UNCOUNTED_GROUPS or group.startswith(UNCOUNTED_PREFIXES) else UNKNOWN


def place(path: str) -> Placement:
    """What the member at `path` is."""
    if _PICKLE.search(path):
        return Placement(PICKLE, *_group(path))
    if path.startswith("output/"):
        return _in_output(path)
    if path in CONTROL_TABLES or _MATRIX.fullmatch(path):
        return Placement(CONTROL_TABLES.get(path, "matrix"))
    if match := _SAME_NODE.fullmatch(path):
        return Placement(match.lastgroup, COUNTED, study="state_release", job_id=match["job"])
    if match := _ACCOUNTING.fullmatch(path):
        return Placement(match.lastgroup)
    return Placement(OTHER)


def _group(path: str) -> tuple[str | None, str | None, str | None]:
    parts = path.split("/")
    if parts[0] != "output" or len(parts) < 3:
        return None, None, None
    return group_status(parts[1]), parts[1], COUNTED_GROUPS.get(parts[1])


def _in_output(path: str) -> Placement:
    status, group, study = _group(path)
    parts = path.split("/")
    if len(parts) < 4:
        return Placement(OTHER, status, group, study)
    if parts[2] == "pairs":
        return _in_pair(parts, status, group, study)
    slot, rest = parts[2], parts[3:]
    level, job = SLOT, None
    if len(rest) > 1 and (match := _ATTEMPT.fullmatch(rest[0])):
        level, job, rest = ATTEMPT, match["job"], rest[1:]
    kind, name = OTHER, "/".join(rest)
    if match := _EVIDENCE.fullmatch(name):
        found = next(key for key in match.groupdict() if key not in ("job", "suffix") and match[key])
        if match["suffix"] == _SUFFIX.get(found, "csv"):
            kind, job = found, job or match["job"]
    elif _ALLOCATOR.fullmatch(name):
        kind = "allocator_trace"
    elif name == "gpu-device-map.json":
        kind = "device_map"
    return Placement(kind, status, group, study, level, slot, job)


def _in_pair(parts: list[str], status: str | None, group: str | None, study: str | None) -> Placement:
    pair, name = parts[3], "/".join(parts[4:])
    kind, job = _PAIR_FILES.get(name, OTHER), None
    if match := _PAIR.fullmatch(name):
        if kind == OTHER:
            kind, job = "pair", match["job"]
    elif _PERIOD.fullmatch(name):
        kind = "period"
    return Placement(kind, status, group, study, PAIR_FOLDER, job_id=job, pair_id=pair)
