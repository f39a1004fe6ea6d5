"""What the three trace readers have in common: lines into rows, rows onto a time axis, a summary at the end."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from loaders.findings import Absence, Reject
from loaders.limits import Limits
from loaders.traces.agreement import Readings
from loaders.traces.columns import TraceLines
from loaders.traces.layout import Columns, Layout
from loaders.traces.timeline import Timeline

FEWEST_POINTS = 2  # of a valid trace (release format 2.3)


@dataclass
class Points:
    """Samples of one trace: one row a timestamp, memory in MiB with one column a device (-1: no reading)."""

    timestamp: np.ndarray
    step: np.ndarray | None
    stage: np.ndarray | None
    memory: np.ndarray


class TraceFile:
    """One trace file while it is read.

    `feed` takes its pieces in order and yields the points they complete; `readings`, `timeline`, `rejects`, `absences`
    and the counters describe what has been fed so far. A refusal (RefusedTrace) comes before any point.
    """

    kind = ""

    def __init__(self, member_path: str, stage_code: Callable[[str], int], limits: Limits):
        self.lines = TraceLines(member_path, limits, self.choose, stage_code)
        self.timeline, self.readings = Timeline(), Readings()
        self.device_count = 0
        self.last_step: int | None = None
        self.last_stage: int | None = None

    def choose(self, first: list[str], second: list[str] | None) -> tuple[Layout, bool]:
        """The layout, and whether the first line is a header."""
        raise NotImplementedError

    def feed(self, piece: bytes | memoryview, is_last: bool) -> Iterator[Points]:
        for columns in self.lines.feed(piece, is_last):
            yield from self._settle(self.points_of(columns))
        if is_last:
            yield from self._settle(self.remaining())

    def points_of(self, columns: Columns) -> Points | None:
        """The points that `columns` complete. Files with one row a point complete one with each row."""
        self.device_count = columns.memory.shape[1]
        return Points(columns.timestamp, columns.step, columns.stage, columns.memory)

    def remaining(self) -> Points | None:
        """Points that only the end of the file completes."""
        return None

    def take_rejects(self) -> list[Reject]:
        rejects, self.lines.rejects = self.lines.rejects, []
        return rejects

    @property
    def absences(self) -> list[Absence]:
        return list(self.lines.absences.values())

    @property
    def duplicates(self) -> int:
        return self.timeline.duplicates

    @property
    def conflicting_duplicates(self) -> int:
        return self.timeline.conflicting_duplicates

    def _settle(self, points: Points | None) -> Iterator[Points]:
        if points is None:
            return
        if points.step is not None:
            self.last_step = int(points.step[-1])
        if points.stage is not None:
            self.last_stage = int(points.stage[-1])
        keep = self.timeline.add(points.timestamp, points.memory)
        if keep is not None:
            columns = (points.timestamp, points.step, points.stage, points.memory)
            points = Points(*(column if column is None else column[keep] for column in columns))
        if len(points.timestamp):
            self.readings.add(points.timestamp, points.memory)
            yield points
