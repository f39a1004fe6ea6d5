"""The time axis of one trace: order, gaps, and samples that stand in it twice.

Timestamps are 64-bit nanoseconds throughout. A repeated timestamp is one sample: the first is kept, the others are
counted, nothing is averaged (bad input T15).
"""

from dataclasses import dataclass

import numpy as np

REMEMBERED_POINTS = 4_000_000


@dataclass
class Timeline:
    """Fed with consecutive timestamps and memory readings, knows what `trace_files` says about them."""

    points: int = 0
    duplicates: int = 0
    conflicting_duplicates: int = 0
    first_ns: int | None = None
    last_ns: int | None = None
    longest_gap_ns: int | None = None
    goes_back: bool = False
    max_memory_mib: int | None = None

    def __post_init__(self):
        self._seen: list[np.ndarray] = []
        self._end: tuple[int, np.ndarray] | None = None

    def add(self, timestamp: np.ndarray, memory: np.ndarray) -> np.ndarray | None:
        """Take in rows; return which of them to keep, None for all.

        Repeats of rows further back than REMEMBERED_POINTS are not noticed once a trace has gone back in time.
        """
        keep = None
        before = self._end[0] if self._end else None
        gaps = np.diff(timestamp) if before is None else np.diff(timestamp, prepend=before)
        if len(gaps):
            self.longest_gap_ns = max(self.longest_gap_ns or 0, int(gaps.max()))
            self.goes_back = self.goes_back or bool(gaps.min() < 0)
            if self.goes_back or gaps.min() == 0:
                keep = self._first_of_each(timestamp, memory)
        kept_time = timestamp if keep is None else timestamp[keep]
        self._end = (int(timestamp[-1]), memory[-1])
        if self.points < REMEMBERED_POINTS:
            self._seen.append(timestamp)
        self.points += len(kept_time)
        low, high = int(timestamp.min()), int(timestamp.max())
        self.first_ns = low if self.first_ns is None else min(self.first_ns, low)
        self.last_ns = high if self.last_ns is None else max(self.last_ns, high)
        peak = int(memory.max())
        if peak >= 0:
            self.max_memory_mib = peak if self.max_memory_mib is None else max(self.max_memory_mib, peak)
        return keep

    def _first_of_each(self, timestamp: np.ndarray, memory: np.ndarray) -> np.ndarray:
        _, first, group = np.unique(timestamp, return_index=True, return_inverse=True)
        keep = np.zeros(len(timestamp), dtype=bool)
        keep[first] = True
        repeats = np.flatnonzero(~keep)
        conflicts = (memory[repeats] != memory[first[group[repeats]]]).any(axis=1)
        self.conflicting_duplicates += int(conflicts.sum())
        if self._seen:
            again = keep & np.isin(timestamp, np.concatenate(self._seen) if self.goes_back else self._seen[-1][-1:])
            if again[0] and timestamp[0] == self._end[0] and not np.array_equal(memory[0], self._end[1]):
                self.conflicting_duplicates += 1
            keep &= ~again
        self.duplicates += int((~keep).sum())
        return keep
