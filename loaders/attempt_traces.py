"""The three traces of every attempt: read, held against each other, summed up.

phase-memory gives the points. gpu-memory and gpu-telemetry repeat its memory: they are compared, and what differs is a
finding, never a second copy.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from loaders.containers.member import Member
from loaders.findings import Absence, Finding, Reject
from loaders.limits import Limits
from loaders.slots import Placement
from loaders.traces.agreement import Readings
from loaders.traces.columns import RefusedTrace
from loaders.traces.gpu_memory import GpuMemory
from loaders.traces.gpu_telemetry import GpuTelemetry
from loaders.traces.layout import NO_STEP
from loaders.traces.phase_memory import PhaseMemory
from loaders.traces.stages import StageCodes
from loaders.traces.trace_file import FEWEST_POINTS, Points, TraceFile

KINDS: dict[str, type[TraceFile]] = {kind.kind: kind for kind in (PhaseMemory, GpuMemory, GpuTelemetry)}
SOURCE = PhaseMemory.kind


@dataclass
class OpenTrace:
    """A trace file with its place in the release. When it has been read, `summary` takes the place of `trace`."""

    file_id: int
    member: Member
    placement: Placement
    trace: TraceFile | None
    refusal: RefusedTrace | None = None
    agreements: dict[str, bool] = field(default_factory=dict)
    summary: dict[str, object] = field(default_factory=dict)
    differences: list[Finding] = field(default_factory=list)


class AttemptTraces:
    """All trace files of one archive, fed in archive order.

    `findings`, and what `take_rejects` and `take_absences` give, grow while they are read.
    """

    def __init__(self, limits: Limits, first_file_id: int):
        self.stages = StageCodes(limits.stage_words)
        self.findings: list[Finding] = []
        self._limits, self._next_id = limits, first_file_id
        self._attempts: dict[tuple[str | None, ...], dict[str, OpenTrace]] = {}
        self._waiting: dict[int, Readings] = {}
        self._rejects: list[Reject] = []
        self._absences: list[Absence] = []

    def open(self, member: Member, placement: Placement) -> OpenTrace:
        trace = KINDS[placement.kind](member.path, self.stages.code, self._limits)
        opened = OpenTrace(self._next_id, member, placement, trace)
        self._next_id += 1
        attempt = (placement.run_group, placement.experiment_id, placement.job_id)
        self._attempts.setdefault(attempt, {})[placement.kind] = opened
        return opened

    def feed(self, opened: OpenTrace, piece: bytes | memoryview, is_last: bool) -> Iterator[Points]:
        """The points that `piece` completes, of the files that are a source of points."""
        trace = opened.trace
        if opened.refusal is None:
            try:
                for points in trace.feed(piece, is_last):
                    if points.step is not None:
                        yield points
            except RefusedTrace as refusal:
                opened.refusal = refusal
            if trace.readings.bytes > self._limits.pending_trace_bytes // 4:
                trace.readings.reduce()
        self._rejects += trace.take_rejects()
        if is_last:
            self._absences += trace.absences
            self._close(opened)

    def finish(self) -> None:
        """Tell what can be told only when no further file comes."""
        for attempt in self._attempts.values():
            if SOURCE not in attempt or attempt[SOURCE].refusal:
                self.findings += [finding for opened in attempt.values() for finding in opened.differences]

    def rows(self) -> Iterator[dict[str, object]]:
        """One row for each trace file, after `finish`."""
        for attempt in self._attempts.values():
            for opened in attempt.values():
                yield self._row(opened)

    def take_rejects(self) -> list[Reject]:
        rejects, self._rejects = self._rejects, []
        return rejects

    def take_absences(self) -> list[Absence]:
        absences, self._absences = self._absences, []
        return absences

    def _attempt(self, opened: OpenTrace) -> dict[str, OpenTrace]:
        return self._attempts[opened.placement.run_group, opened.placement.experiment_id, opened.placement.job_id]

    def _close(self, opened: OpenTrace) -> None:
        self._report(opened)
        opened.summary = self._summary(opened)
        readings, opened.trace = opened.trace.readings, None
        attempt = self._attempt(opened)
        if opened.refusal is None:
            for sibling in attempt.values():
                if sibling.file_id in self._waiting:
                    self._compare(opened, readings, sibling, self._waiting[sibling.file_id])
            self._waiting[opened.file_id] = readings
        if all(kind in attempt for kind in KINDS):
            for sibling in attempt.values():
                self._waiting.pop(sibling.file_id, None)
        if sum(waiting.bytes for waiting in self._waiting.values()) > self._limits.pending_trace_bytes:
            for waiting in self._waiting.values():
                waiting.reduce()

    def _compare(self, one: OpenTrace, readings: Readings, two: OpenTrace, others: Readings) -> None:
        if two.placement.kind == SOURCE:
            one, two, readings, others = two, one, others, readings
        difference = readings.difference(others)
        self._agree(one, two, difference is None)
        if difference is not None:
            told = Finding("traces_disagree", two.member.path, None, f"{one.member.path} against it: {difference}")
            # Two files that may both differ from a source still to come: told only if it never comes.
            (self.findings if one.placement.kind == SOURCE else one.differences).append(told)

    def _agree(self, one: OpenTrace, two: OpenTrace, agree: bool) -> None:
        one.agreements[two.placement.kind] = two.agreements[one.placement.kind] = agree

    def _report(self, opened: OpenTrace) -> None:
        trace, member = opened.trace, opened.member
        if opened.refusal is not None:
            self._find("trace_refused", member, str(opened.refusal), opened.refusal.line)
            return
        if trace.timeline.points < FEWEST_POINTS:
            self._find(
                "too_few_points", member, f"{trace.timeline.points} points, a valid trace has at least {FEWEST_POINTS}"
            )
        if trace.timeline.goes_back:
            self._find("timestamps_go_back", member, "the timestamps are not in order")
        if trace.duplicates:
            self._find("duplicate_samples", member, f"{trace.duplicates} samples stand in it again; the first is kept")
        if trace.conflicting_duplicates:
            told = f"{trace.conflicting_duplicates} repeated samples have other memory than the first"
            self._find("conflicting_duplicates", member, told)
        if (hidden := trace.lines.rejected - self._limits.rejects_per_member) > 0:
            self._find("rejects_not_listed", member, f"{hidden} more rejected lines are counted but not listed")

    def _find(self, finding: str, member: Member, detail: str, line: int | None = None) -> None:
        self.findings.append(Finding(finding, member.path, line, detail))

    def _summary(self, opened: OpenTrace) -> dict[str, object]:
        trace, timeline = opened.trace, opened.trace.timeline
        return {
            "sha256": opened.member.sha256,
            "device_count": trace.device_count or None,
            "line_count": trace.lines.lines + trace.lines.rejected,
            "point_count": timeline.points,
            "rejected_count": trace.lines.rejected,
            "duplicate_count": trace.duplicates,
            "conflicting_duplicate_count": trace.conflicting_duplicates,
            "first_timestamp_ns": timeline.first_ns,
            "last_timestamp_ns": timeline.last_ns,
            "longest_gap_ns": timeline.longest_gap_ns,
            "goes_back_in_time": timeline.goes_back,
            "max_memory_mib": timeline.max_memory_mib,
            "terminal_step": None if trace.last_step == NO_STEP else trace.last_step,
            "terminal_stage": None if trace.last_stage is None else self.stages.word(trace.last_stage),
        }

    def _row(self, opened: OpenTrace) -> dict[str, object]:
        placement, is_source = opened.placement, opened.placement.kind == SOURCE
        status = (
            "refused"
            if opened.refusal
            else "loaded"
            if is_source
            else "compared"
            if opened.agreements
            else "not_compared"
        )
        return {
            "file_id": opened.file_id,
            "member_path": opened.member.path,
            "run_group": placement.run_group,
            "study": placement.study,
            "experiment_id": placement.experiment_id,
            "job_id": placement.job_id,
            "trace_kind": placement.kind,
            "status": status,
            "is_point_source": is_source,
            **opened.summary,
            **{f"agrees_with_{kind}": opened.agreements.get(kind) for kind in KINDS},
        }
