"""Collect rows into Arrow batches. Every text passes the last gate against secrets here."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from loaders.findings import Finding
from loaders.logs.secrets import redact_columns
from loaders.raw_tables import MAX_DEVICES, TABLES, schema
from loaders.traces.layout import NO_MEMORY, NO_STEP
from loaders.traces.trace_file import Points

ROWS = 4_000
TEXT_BYTES = 8 << 20
POINT_ROWS = 200_000
# Columns whose texts make a table's rows heavy.
LONG_TEXTS = {
    table: [name for name in columns if name in ("document", "record", "text", "raw_text", "cells", "unknown_keys")]
    for table, columns in TABLES.items()
}
UNCHECKED = frozenset({"release_id", "archive_sha256", "sha256"})
Batch = tuple[str, pa.RecordBatch]


class RowBatches:
    """Rows of all tables but `trace_points`. `source` is what every row of this load carries."""

    def __init__(self, source: dict[str, str]):
        self.source = source
        self._rows: dict[str, list[dict[str, object]]] = {table: [] for table in TABLES}
        self._bytes = dict.fromkeys(TABLES, 0)
        self._full: set[str] = set()

    def add(self, table: str, row: dict[str, object]) -> None:
        self._rows[table].append(row)
        for name in LONG_TEXTS[table]:
            self._bytes[table] += len(row.get(name) or "")
        if len(self._rows[table]) >= ROWS or self._bytes[table] >= TEXT_BYTES:
            self._full.add(table)

    def full(self) -> Iterator[Batch]:
        """Batches of the tables that hold enough rows."""
        while self._full:
            yield from self._batch(self._full.pop())

    def rest(self) -> Iterator[Batch]:
        """Batches of everything left; findings come last, because the gate adds to them."""
        for table in sorted(self._rows, key=lambda table: table == "findings"):
            yield from self._batch(table)
        yield from self._batch("findings")

    def _batch(self, table: str) -> Iterator[Batch]:
        rows, self._rows[table], self._bytes[table] = self._rows[table], [], 0
        if not rows:
            return
        columns = dict(zip(TABLES[table], _columns(table, rows), strict=True))
        for name in columns.keys() & self.source.keys():
            columns[name] = pa.repeat(pa.scalar(self.source[name], pa.string()), len(rows))
        texts = [name for name, kind in TABLES[table].items() if pa.types.is_string(kind) and name not in UNCHECKED]
        for name, column, secret_rows in redact_columns({name: columns[name] for name in texts}):
            columns[name] = column
            for row in secret_rows:
                self._report_secret(rows[row], name)
        yield table, pa.RecordBatch.from_arrays(list(columns.values()), schema=schema(table))

    def _report_secret(self, row: dict[str, object], column: str) -> None:
        place, line = row.get("member_path") or "", row.get("line_number")
        self.add(
            "findings", Finding("secret_removed", place, line, f"a secret in the column {column} was removed")._asdict()
        )


class PointBatches:
    """Points of many trace files, in the order of their files, in batches of POINT_ROWS or so."""

    def __init__(self):
        self._parts: list[tuple[int, Points]] = []
        self._count = 0

    def add(self, file_id: int, points: Points) -> None:
        self._parts.append((file_id, points))
        self._count += len(points.timestamp)

    def full(self) -> Iterator[Batch]:
        if self._count >= POINT_ROWS:
            yield from self.rest()

    def rest(self) -> Iterator[Batch]:
        parts, self._parts, self._count = self._parts, [], 0
        if not parts:
            return
        points = [part for _, part in parts]
        lengths = [len(part.timestamp) for part in points]
        step = np.concatenate([part.step for part in points])
        arrays = [
            pa.array(np.repeat(np.array([file_id for file_id, _ in parts], dtype=np.int32), lengths)),
            pa.array(np.concatenate([part.timestamp for part in points])),
            _nullable(step, NO_STEP),
            pa.array(np.concatenate([part.stage for part in points])),
        ]
        for device in range(MAX_DEVICES):
            arrays.append(_device(points, lengths, device))
        yield "trace_points", pa.RecordBatch.from_arrays(arrays, schema=schema("trace_points"))


def _device(points: list[Points], lengths: list[int], device: int) -> pa.Array:
    if not any(device < part.memory.shape[1] for part in points):
        return pa.nulls(sum(lengths), pa.int32())
    readings = [
        part.memory[:, device] if device < part.memory.shape[1] else np.full(length, NO_MEMORY, dtype=np.int32)
        for part, length in zip(points, lengths, strict=True)
    ]
    return _nullable(np.concatenate(readings), NO_MEMORY)


def _nullable(values: np.ndarray, missing: int) -> pa.Array:
    absent = values == missing
    return pa.array(values, mask=absent) if absent.any() else pa.array(values)


def _columns(table: str, rows: list[dict[str, object]]) -> list[pa.Array]:
    try:
        return pa.RecordBatch.from_pylist(rows, schema(table)).columns
    except UnicodeEncodeError:
        # A lone surrogate, written as an escape in JSON, is no text; it is kept as the escape it was.
        clean = [{name: _sound(value) for name, value in row.items()} for row in rows]
        return pa.RecordBatch.from_pylist(clean, schema(table)).columns


def _sound(value: object) -> object:
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
