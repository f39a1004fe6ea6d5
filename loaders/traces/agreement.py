"""Whether two trace files of one attempt say the same: same timestamps, same memory on every device.

Parsed readings are kept until their siblings have come, in whatever order an archive holds them. When too much waits,
they are reduced to digests; then a difference is still seen, but no longer where.
"""

import hashlib

import numpy as np

from loaders.traces.layout import MAX_DEVICES, NO_MEMORY


class Readings:
    """The timestamps and memory readings of one trace file."""

    def __init__(self):
        self.points, self.bytes = 0, 0
        self._parts: list[tuple[np.ndarray, np.ndarray]] = []
        self._digest = None

    def add(self, timestamp: np.ndarray, memory: np.ndarray) -> None:
        self.points += len(timestamp)
        self._parts.append((timestamp, memory))
        self.bytes += timestamp.nbytes + memory.nbytes
        if self._digest is not None:
            self.reduce()

    def reduce(self) -> None:
        """Keep a digest instead of the readings."""
        if self._digest is None:
            self._digest = hashlib.sha256(), hashlib.sha256()
        for timestamp, memory in self._parts:
            self._digest[0].update(np.ascontiguousarray(timestamp))
            self._digest[1].update(_widened(memory, MAX_DEVICES))
        self._parts, self.bytes = [], 0

    def difference(self, other: "Readings") -> str | None:
        """What differs between this file and `other`, None when nothing does."""
        if self._digest is None and other._digest is None:
            return _first_difference(*self._whole(), *other._whole())
        self.reduce()
        other.reduce()
        if self.points != other.points:
            return f"{self.points} points against {other.points}"
        if [digest.digest() for digest in self._digest] != [digest.digest() for digest in other._digest]:
            return "the readings differ (too large to say where)"
        return None

    def _whole(self) -> tuple[np.ndarray, np.ndarray]:
        if not self._parts:
            return np.empty(0, np.int64), np.empty((0, 1), np.int32)
        width = max(memory.shape[1] for _, memory in self._parts)
        if len(self._parts) > 1:
            times, memories = zip(*self._parts, strict=True)
            self._parts = [(np.concatenate(times), np.concatenate([_widened(memory, width) for memory in memories]))]
        return self._parts[0]


def _first_difference(
    time: np.ndarray, memory: np.ndarray, other_time: np.ndarray, other_memory: np.ndarray
) -> str | None:
    if memory.shape == other_memory.shape and np.array_equal(time, other_time) and np.array_equal(memory, other_memory):
        return None
    width = max(memory.shape[1], other_memory.shape[1])
    memory, other_memory = _widened(memory, width), _widened(other_memory, width)
    common = min(len(time), len(other_time))
    differs = (time[:common] != other_time[:common]) | (memory[:common] != other_memory[:common]).any(axis=1)
    counts = f"{len(time)} points against {len(other_time)}; " if len(time) != len(other_time) else ""
    if not differs.any():
        return f"{counts}the first {common} are equal" if counts else None
    at = int(differs.argmax())
    if time[at] != other_time[at]:
        return f"{counts}point {at + 1} is at {time[at]} against {other_time[at]}"
    device = int((memory[at] != other_memory[at]).argmax())
    ours, theirs = (_told(readings[at, device]) for readings in (memory, other_memory))
    total = int(differs.sum())
    where = f"first point {at + 1} at {time[at]}: device {device}"
    return f"{counts}{total} points differ, {where} has {ours} against {theirs}"


def _told(reading: np.integer) -> str:
    return "no reading" if reading == NO_MEMORY else f"{reading} MiB"


def _widened(memory: np.ndarray, width: int) -> np.ndarray:
    if memory.shape[1] == width:
        return np.ascontiguousarray(memory)
    wide = np.full((len(memory), width), NO_MEMORY, dtype=np.int32)
    wide[:, : memory.shape[1]] = memory
    return wide
