"""The traces of one attempt are held against each other, in whatever order they come."""

from itertools import permutations

import pytest

from loaders.attempt_traces import AttemptTraces
from loaders.containers.member import Member
from loaders.limits import DEFAULTS, Limits
from loaders.slots import place
from tests.synthetic_archive import GROUP, trace_files

KINDS = ("gpu-memory", "gpu-telemetry", "phase-memory")


def load(files: dict[str, bytes], order: tuple[str, ...], limits: Limits = DEFAULTS) -> tuple[dict, list, list]:
    """The rows by kind, the points and the findings of an attempt with these trace files."""
    traces, points = AttemptTraces(limits, 1), []
    for kind in order:
        path = f"{GROUP}/s/{kind}-7.csv"
        opened = traces.open(Member(path, "file", len(files[kind]), sha256=kind), place(path))
        for part in traces.feed(opened, files[kind], True):
            points += zip(part.timestamp.tolist(), part.memory.tolist(), strict=True)
    traces.finish()
    return {row["trace_kind"]: row for row in traces.rows()}, points, traces.findings


def agreements(rows: dict) -> dict[str, tuple]:
    names = [f"agrees_with_{kind}" for kind in ("phase_memory", "gpu_memory", "gpu_telemetry")]
    return {kind: tuple(row[name] for name in names) for kind, row in rows.items()}


@pytest.mark.parametrize("order", list(permutations(KINDS)))
@pytest.mark.parametrize("pending", [1 << 26, 0], ids=["kept", "reduced"])
def test_one_differing_file_differs_from_both_others_and_is_told_once(order, pending):
    files = trace_files([(1, 2), (3, 4)])
    files["gpu-telemetry"] = trace_files([(1, 2), (3, 5)])["gpu-telemetry"]
    rows, points, findings = load(files, order, Limits(pending_trace_bytes=pending))
    assert agreements(rows) == {
        "phase_memory": (None, True, False),
        "gpu_memory": (True, None, False),
        "gpu_telemetry": (False, False, None),
    }
    assert [(found.finding, found.member_path[-19:]) for found in findings] == [
        ("traces_disagree", "gpu-telemetry-7.csv")
    ]
    assert [memory for _, memory in points] == [[1, 2], [3, 4]]


def test_without_a_source_the_two_others_are_held_against_each_other():
    files = trace_files([(1, 2), (3, 4)])
    files["gpu-telemetry"] = trace_files([(1, 2), (3, 5)])["gpu-telemetry"]
    rows, points, findings = load(files, KINDS[:2])
    assert points == []
    assert agreements(rows) == {"gpu_memory": (None, None, False), "gpu_telemetry": (None, False, None)}
    assert [found.finding for found in findings] == ["traces_disagree"]


def test_a_file_without_siblings_is_not_compared():
    rows, _, findings = load(trace_files([(1, 2), (3, 4)]), KINDS[:1])
    assert (rows["gpu_memory"]["status"], findings) == ("not_compared", [])


def test_readings_that_wait_are_bounded():
    files = trace_files([(1, 2)] * 100)
    traces = AttemptTraces(Limits(pending_trace_bytes=3000), 1)
    for job in range(20):
        path = f"{GROUP}/s/gpu-memory-{job}.csv"
        opened = traces.open(Member(path, "file", len(files["gpu-memory"]), sha256="x"), place(path))
        list(traces.feed(opened, files["gpu-memory"], True))
        assert sum(readings.bytes for readings in traces._waiting.values()) <= 3000
