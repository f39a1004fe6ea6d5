"""Traces of any width, torn or damaged, read exactly or rejected by line (bad inputs T1, T4 to T6, T13 to T15, T18)."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.findings import Reject
from loaders.limits import DEFAULTS, Limits
from loaders.traces import by_arrow, columns
from loaders.traces.columns import RefusedTrace, TraceLines
from loaders.traces.gpu_memory import GpuMemory
from loaders.traces.gpu_telemetry import GpuTelemetry
from loaders.traces.layout import DEVICE, IGNORED, MEMORY, STAGE, STEP, TIMESTAMP, Layout
from loaders.traces.phase_memory import PhaseMemory
from loaders.traces.stages import KNOWN, StageCodes
from loaders.traces.trace_file import TraceFile
from tests.synthetic_archive import INTERVAL_NS, START_NS, trace_files

KINDS = {"phase-memory": PhaseMemory, "gpu-memory": GpuMemory, "gpu-telemetry": GpuTelemetry}
ENGINES = [by_arrow.read_lines]
try:
    from loaders.traces import by_numba

    ENGINES.append(by_numba.read_lines)
except ImportError:
    by_numba = None


@pytest.fixture(params=ENGINES, ids=lambda engine: engine.__module__.rsplit("_", 1)[-1], autouse=True)
def engine(request, monkeypatch):
    """Every test holds for every engine that is installed."""
    monkeypatch.setattr(columns, "read_lines", request.param)


def read(
    kind: type[TraceFile], data: bytes, piece: int = 1 << 20, limits: Limits = DEFAULTS
) -> tuple[TraceFile, list[tuple]]:
    """The trace, and its points as (timestamp, step, stage, memory)."""
    codes = StageCodes(limits.stage_words)
    trace = kind("trace-7.csv", codes.code, limits)
    points = []
    for start in range(0, max(len(data), 1), piece):
        for part in trace.feed(data[start : start + piece], start + piece >= len(data)):
            for row, time in enumerate(part.timestamp.tolist()):
                step = None if part.step is None else int(part.step[row])
                stage = None if part.stage is None else codes.word(int(part.stage[row]))
                points.append((time, step, stage, part.memory[row].tolist()))
    return trace, points


@pytest.mark.parametrize("devices", range(1, 9))
@pytest.mark.parametrize("kind", KINDS)
def test_every_device_of_a_file_is_read(kind, devices):
    memory = [tuple(1000 * sample + device for device in range(devices)) for sample in range(3)]
    trace, points = read(KINDS[kind], trace_files(memory)[kind])
    assert trace.device_count == devices
    assert [tuple(point[3]) for point in points] == memory


def test_nine_devices_are_refused_by_number():
    with pytest.raises(RefusedTrace, match="9 device columns, expected 1 to 8"):
        read(PhaseMemory, trace_files([tuple(range(9))])["phase-memory"])


@given(
    memory=st.lists(st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 99)), min_size=1, max_size=60),
    piece=st.integers(1, 400),
    kind=st.sampled_from(sorted(KINDS)),
)
@settings(deadline=None, max_examples=60)
def test_pieces_of_any_size_give_the_same_points(memory, piece, kind):
    data = trace_files(memory)[kind]
    assert read(KINDS[kind], data, piece)[1] == read(KINDS[kind], data)[1]
    assert [tuple(point[3]) for point in read(KINDS[kind], data, piece)[1]] == memory


@given(cut=st.integers(1, 400), kind=st.sampled_from(sorted(KINDS)))
@settings(deadline=None, max_examples=60)
def test_a_torn_trace_gives_whole_lines_only(cut, kind):
    memory = [(30_000 + sample, 35_730 - sample) for sample in range(12)]
    data = trace_files(memory)[kind]
    torn = data[: max(len(data) - cut, 1)]
    try:
        _, points = read(KINDS[kind], torn)
    except RefusedTrace:
        assert torn.count(b"\n") < 2
        return
    allowed = [list(reading) for reading in memory] + [[first] for first, _ in memory]
    assert all([value for value in point[3] if value >= 0] in allowed for point in points)
    assert {value for point in points for value in point[3]} <= {
        -1,
        *(value for reading in memory for value in reading),
    }


def test_a_last_line_without_its_end_is_never_a_measurement():
    trace, points = read(GpuMemory, b"1790000000100000000,35730\n1790000000200000000,357")
    assert points == [(1790000000100000000, None, None, [35730])]
    assert trace.take_rejects() == [
        Reject("trace-7.csv", 2, 26, "the last line has no line end: it is torn", "1790000000200000000,357")
    ]


def test_nul_bytes_reject_their_line_alone():
    lines = [f"{START_NS + number},{number}\n".encode() for number in range(5)]
    data = b"".join(lines[:2]) + b"\0" * 4096 + lines[2] + b"".join(lines[3:])
    trace, points = read(GpuMemory, data)
    assert [point[3] for point in points] == [[0], [1], [3], [4]]
    reject = trace.take_rejects()[0]
    assert (reject.line_number, reject.byte_offset, reject.reason) == (3, len(lines[0]) * 2, "NUL bytes")
    assert "\0" not in reject.raw_text


def test_missing_spellings_stay_apart_and_are_never_a_number():
    spellings = ["", "nan", "NaN", "None", "[N/A]", "N/A"]
    data = "".join(
        f"{START_NS + number},1,rollout,{spelling},7\n" for number, spelling in enumerate(spellings)
    ).encode()
    trace, points = read(PhaseMemory, data)
    assert [point[3] for point in points] == [[-1, 7]] * len(spellings)
    assert [
        (absence.column_name, absence.spelling, absence.absence, absence.value_count) for absence in trace.absences
    ] == [
        ("gpu0_mib", "", "blank", 1),
        ("gpu0_mib", "nan", "nan_token", 1),
        ("gpu0_mib", "NaN", "nan_token", 1),
        ("gpu0_mib", "None", "none_token", 1),
        ("gpu0_mib", "[N/A]", "sensor_not_available", 1),
        ("gpu0_mib", "N/A", "sensor_not_available", 1),
    ]


@pytest.mark.parametrize("time", [1790000000100000001, 2**63 - 1, 2**53 + 1, 0])
def test_a_timestamp_is_exact_to_the_nanosecond(time):
    assert read(GpuMemory, f"{time},1\n".encode())[1][0][0] == time


@pytest.mark.parametrize("time", ["9223372036854775808", "99999999999999999999", "1.5", "1e18", "0x10", "1_000", ""])
def test_a_timestamp_that_is_none_rejects_its_line(time):
    trace, points = read(GpuMemory, f"{START_NS},1\n{time},2\n{START_NS + 2},3\n".encode())
    assert [point[3] for point in points] == [[1], [3]]
    assert [reject.line_number for reject in trace.take_rejects()] == [2]


@pytest.mark.parametrize(
    ("cell", "value", "absence"),
    [
        ("35730 MiB", 35730, None),
        ("35 GiB", 35840, None),
        ("1048576 B", 1, None),
        ("1.5 GiB", 1536, None),
        ("36 GB", -1, "not_whole_mib"),
        ("35730 M", -1, "unit_unknown"),
        ("35730 blocks", -1, "unit_unknown"),
        (" 35730 ", 35730, None),
    ],
)
def test_a_unit_in_the_cell_is_converted_exactly_or_absent(cell, value, absence):
    trace, points = read(GpuMemory, f"{START_NS},{cell}\n".encode())
    assert points[0][3] == [value]
    assert [found.absence for found in trace.absences] == ([absence] if absence else [])


@pytest.mark.parametrize("cell", ["-1", "2147483648", "1 2", "0x10", "1e3", "٣"])
def test_a_cell_that_is_no_memory_rejects_its_line(cell):
    trace, points = read(GpuMemory, f"{START_NS},5\n{START_NS + 1},{cell}\n".encode())
    assert [point[3] for point in points] == [[5]]
    assert trace.lines.rejected == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_that_stands_twice_is_one(kind):
    data = trace_files([(5, 6), (7, 8)])[kind]
    lines = data.splitlines(keepends=True)
    repeated = b"".join(lines[:-1] + [lines[-1]] + lines[-(2 if kind == "gpu-telemetry" else 1) :])
    trace, points = read(KINDS[kind], repeated)
    assert [point[3] for point in points] == [[5, 6], [7, 8]]
    assert (trace.duplicates, trace.conflicting_duplicates) == (2 if kind == "gpu-telemetry" else 1, 0)


def test_a_file_written_twice_is_read_once():
    data = trace_files([(5, 6), (7, 8), (9, 9)])["phase-memory"]
    for piece in (1 << 20, 50):
        trace, points = read(PhaseMemory, data + data, piece)
        assert [point[3] for point in points] == [[5, 6], [7, 8], [9, 9]]
        assert trace.duplicates == 3 and trace.timeline.goes_back


def test_a_repeated_sample_with_other_memory_is_a_conflict_and_the_first_is_kept():
    for piece in (1 << 20, 30):
        trace, points = read(GpuMemory, f"{START_NS},5\n{START_NS},50\n{START_NS + 1},6\n".encode(), piece)
        assert [point[3] for point in points] == [[5], [6]]
        assert (trace.duplicates, trace.conflicting_duplicates) == (1, 1)


def test_the_longest_gap_and_the_ends_are_told():
    times = [START_NS, START_NS + INTERVAL_NS, START_NS + 50 * INTERVAL_NS, START_NS + 51 * INTERVAL_NS]
    timeline = read(GpuMemory, "".join(f"{time},5\n" for time in times).encode(), 30)[0].timeline
    assert (timeline.longest_gap_ns, timeline.first_ns, timeline.last_ns) == (49 * INTERVAL_NS, times[0], times[-1])


def test_unknown_stages_and_step_zero_are_read_as_they_stand():
    trace, points = read(PhaseMemory, trace_files([(5,), (6,)], [0, 0], ["unknown", "warm-up"])["phase-memory"])
    assert [(point[1], point[2]) for point in points] == [(0, "unknown"), (0, "warm-up")]
    assert trace.last_stage == len(KNOWN)


def test_more_stage_words_than_the_limit_are_rejected_by_line():
    stages = [f"s{number}" for number in range(10)]
    trace, points = read(
        PhaseMemory, trace_files([(5,)] * 10, None, stages)["phase-memory"], limits=Limits(stage_words=12)
    )
    assert [point[2] for point in points] == ["s0", "s1", "s2"]
    assert trace.lines.rejected == 7


@pytest.mark.parametrize("header", ["timestamp_ns,step,phase,gpu0_mib\n", "\ufefftimestamp_ns,step,phase,a\n", ""])
def test_a_header_is_detected_never_assumed(header):
    assert read(PhaseMemory, (header + f"{START_NS},1,rollout,5\n").encode())[1] == [(START_NS, 1, "rollout", [5])]


def test_a_telemetry_file_without_header_keeps_its_first_sample():
    data = trace_files([(5, 6), (7, 8)])["gpu-telemetry"].split(b"\n", 1)[1]
    assert [point[3] for point in read(GpuTelemetry, data)[1]] == [[5, 6], [7, 8]]


@pytest.mark.parametrize(
    ("kind", "data", "told"),
    [
        (PhaseMemory, b"timestamp_ns,step,phase,a\n1,1,rollout,5,6\n", "4 names, the row below it 5 fields"),
        (PhaseMemory, b"timestamp_ns,step,phase,a,b\n1,1,rollout,5\n", "5 names, the row below it 4 fields"),
        (GpuMemory, b"timestamp_ns,a,a\n1,5,6\n", "names ['a'] more than once"),
        (GpuMemory, b"timestamp_ns,used_gib\n1,5\n", "not in MiB"),
        (GpuTelemetry, b"timestamp_ns,gpu_index\n1,0\n", "lacks ['memory_used_mib']"),
        (GpuTelemetry, b"1,2,3\n4,5,6\n", "3 fields without a header, expected 6"),
        (PhaseMemory, b"1,5\n2,6\n", "0 device columns"),
    ],
)
def test_a_header_that_does_not_fit_refuses_the_file(kind, data, told):
    with pytest.raises(RefusedTrace) as refusal:
        read(kind, data)
    assert told in str(refusal.value)


def test_lines_of_another_width_are_rejected_by_line():
    trace, points = read(GpuMemory, b"1,5,6\n2,5\n3,5,6,7\n4,8,9\n")
    assert [point[3] for point in points] == [[5, 6], [8, 9]]
    assert [reject.reason for reject in trace.take_rejects()] == ["2 fields, expected 3", "4 fields, expected 3"]


def test_telemetry_columns_may_stand_in_any_order():
    data = b"gpu_index,memory_used_mib,timestamp_ns\n1,6,10\n0,5,10\n0,7,11\n"
    trace, points = read(GpuTelemetry, data)
    assert points == [(10, None, None, [5, 6]), (11, None, None, [7])]
    assert trace.device_count == 2


def test_a_line_without_end_is_rejected_without_being_held():
    data = f"{START_NS},5\n".encode() + b"7" * 5_000_000 + f"\n{START_NS + 1},6\n".encode()
    trace, points = read(GpuMemory, data, 100_000, Limits(line_bytes=200_000))
    assert [point[3] for point in points] == [[5], [6]]
    reject = trace.take_rejects()[0]
    assert (reject.line_number, reject.reason) == (2, "a line of more than 200000 bytes")
    assert len(reject.raw_text) == Limits().text_bytes


def test_rejects_beyond_the_limit_are_counted():
    trace, _ = read(GpuMemory, b"1,1\n" + b"x\n" * 50 + b"2,2\n", limits=Limits(rejects_per_member=10))
    assert (trace.lines.rejected, len(trace.take_rejects())) == (50, 10)


def test_an_empty_file_has_no_points():
    assert read(PhaseMemory, b"")[1] == []


def test_lines_are_counted_across_fast_and_slow_parts():
    lines = [f"{START_NS + number},{number}\n".encode() for number in range(20_000)]
    lines[15_000] = b"broken\n"
    trace, points = read(GpuMemory, b"".join(lines), 100_000)
    reject = trace.take_rejects()[0]
    assert (reject.line_number, reject.byte_offset) == (15_001, sum(map(len, lines[:15_000])))
    assert len(points) == 19_999


CELLS = st.one_of(
    st.integers(0, 2**63 + 5).map(str),
    st.integers(-9, 2**31 + 3).map(str),
    st.sampled_from(["", "nan", "rollout", "0x1", " 7", "+5", "1,2", "٣", "007", "a\0", "5\0", '"5"']),
)


@given(
    lines=st.lists(st.lists(CELLS, min_size=6, max_size=6), min_size=1, max_size=6),
    kind=st.sampled_from(["phase", "telemetry"]),
)
@settings(deadline=None, max_examples=400)
def test_the_fast_ways_and_the_slow_way_agree(lines, kind):
    """A fast way gives exactly what the slow way gives, or leaves the lines to it."""
    roles = (
        (TIMESTAMP, STEP, STAGE, MEMORY, MEMORY, MEMORY)
        if kind == "phase"
        else (TIMESTAMP, IGNORED, IGNORED, DEVICE, MEMORY, IGNORED)
    )
    layout = Layout(tuple("abcdef"), roles)
    data = "".join(",".join(cells) + "\n" for cells in lines).encode()
    slow = TraceLines("t", Limits(), lambda first, second: (layout, False), StageCodes(200).code)
    slow.layout = layout
    expected = slow._slow(data)
    codes = StageCodes(200)
    fast = TraceLines("t", Limits(), lambda first, second: (layout, False), codes.code)
    found = columns.read_lines(data, layout, fast._code)
    if found is not None:
        assert slow.rejected == 0 and not slow.absences
        for one, two in zip(vars(found).values(), vars(expected).values(), strict=True):
            assert (one is None) == (two is None) and (one is None or np.array_equal(one, two))


def test_the_engines_take_plain_files_themselves():
    chance = random.Random(7)
    memory = [tuple(chance.randrange(40_000) for _ in range(3)) for _ in range(500)]
    stages = [KNOWN[chance.randrange(len(KNOWN))] for _ in memory]
    data = trace_files(memory, None, stages)["phase-memory"]
    codes = StageCodes(200)
    found = columns.read_lines(
        data,
        Layout(tuple("abcdef"), (TIMESTAMP, STEP, STAGE, MEMORY, MEMORY, MEMORY)),
        lambda word: codes.code(word.decode()),
    )
    assert found.memory.tolist() == [list(reading) for reading in memory]
    assert [codes.word(code) for code in found.stage.tolist()] == stages
