"""Read one attempt's gpu-telemetry trace. It repeats the memory of phase-memory: held against it, never loaded twice.

Source:  `gpu-telemetry-<job>.csv` members (release format 2.3): one row for each sample and device; a missing header is
         tolerated, the columns then stand in the declared order.
Yields:  Points without step and stage: the rows of one timestamp become one point, whatever the order of devices.
Units:   Unix nanoseconds (64 bit); MiB in use on each device. Utilisation is not read.
Missing: a blank or a word such as `[N/A]` is no reading; a device without a row at a timestamp has none either.
Errors:  RefusedTrace when header and rows do not fit; single lines that cannot be read are rejected.
"""

import numpy as np

from loaders.traces.columns import RefusedTrace, check_header, is_header
from loaders.traces.layout import DEVICE, IGNORED, MAX_DEVICES, MEMORY, NO_MEMORY, TIMESTAMP, Columns, Layout
from loaders.traces.trace_file import Points, TraceFile

HEADER = ["timestamp_ns", "step", "phase", "gpu_index", "memory_used_mib", "gpu_utilization_pct"]
ROLES = {"timestamp_ns": TIMESTAMP, "gpu_index": DEVICE, "memory_used_mib": MEMORY}


class GpuTelemetry(TraceFile):
    kind = "gpu_telemetry"

    def __init__(self, *args):
        super().__init__(*args)
        self._repeated = self._conflicting = 0
        self._open: Columns | None = None

    @property
    def duplicates(self) -> int:
        return self._repeated + self.timeline.duplicates

    @property
    def conflicting_duplicates(self) -> int:
        return self._conflicting + self.timeline.conflicting_duplicates

    def choose(self, first: list[str], second: list[str] | None) -> tuple[Layout, bool]:
        has_header = is_header(first)
        names = first if has_header else HEADER
        if has_header:
            check_header(first, second)
            if absent := [name for name in ROLES if name not in first]:
                raise RefusedTrace(f"the header {first} lacks {absent}")
        elif len(first) != len(HEADER) and (second is None or len(second) != len(HEADER)):
            raise RefusedTrace(f"{len(first)} fields without a header, expected {len(HEADER)}")
        return Layout(tuple(names), tuple(ROLES.get(name, IGNORED) for name in names)), has_header

    def points_of(self, columns: Columns) -> Points | None:
        """All points but the last: its rows may go on in the next piece."""
        timestamp, device, memory = columns.timestamp, columns.device, columns.memory[:, 0]
        if self._open is not None:
            timestamp = np.concatenate([self._open.timestamp, timestamp])
            device = np.concatenate([self._open.device, device])
            memory = np.concatenate([self._open.memory, memory])
        changes = np.flatnonzero(timestamp[1:] != timestamp[:-1])
        start = int(changes[-1]) + 1 if len(changes) else 0
        self._open = Columns(timestamp[start:], None, None, device[start:], memory[start:])
        return self._wide(timestamp[:start], device[:start], memory[:start]) if start else None

    def remaining(self) -> Points | None:
        rows, self._open = self._open, None
        return None if rows is None else self._wide(rows.timestamp, rows.device, rows.memory)

    def _wide(self, timestamp: np.ndarray, device: np.ndarray, memory: np.ndarray) -> Points:
        changes = np.flatnonzero(timestamp[1:] != timestamp[:-1])
        count = int(changes[0]) + 1 if len(changes) else len(timestamp)
        rows = len(timestamp)
        if count <= MAX_DEVICES and rows % count == 0 and _is_regular(timestamp, device, count):
            self.device_count = max(self.device_count, count)
            return Points(timestamp[::count], None, None, memory.reshape(-1, count))
        times, first, group = np.unique(timestamp, return_index=True, return_inverse=True)
        # Points stand in the order of their first row, so that a step back in time stays visible.
        order = np.argsort(first)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        cell = place[group] * MAX_DEVICES + device
        cells, first_row, cell_group = np.unique(cell, return_index=True, return_inverse=True)
        self._repeated += rows - len(cells)
        self._conflicting += int((memory != memory[first_row[cell_group]]).sum())
        self.device_count = max(self.device_count, int(device.max()) + 1)
        wide = np.full((len(times), MAX_DEVICES), NO_MEMORY, dtype=np.int32)
        wide.reshape(-1)[cells] = memory[first_row]
        return Points(times[order], None, None, np.ascontiguousarray(wide[:, : self.device_count]))


def _is_regular(timestamp: np.ndarray, device: np.ndarray, count: int) -> bool:
    """Whether every point has one row for each of `count` devices, in order: the form the sampler writes."""
    times = timestamp.reshape(-1, count)
    in_order = (device.reshape(-1, count) == np.arange(count, dtype=device.dtype)).all()
    return bool(in_order) and bool((times == times[:, :1]).all())
