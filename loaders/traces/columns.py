"""Turn the bytes of one trace into typed columns: fast where the bytes are clean, line by line where they are not.

A trace is the one kind of evidence that is typed while it is read, for speed. The fast way takes plain
lines only; the slow one reads the others, names what it rejects and counts how missing values are spelled.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from loaders.findings import Absence, Reject
from loaders.limits import Limits
from loaders.traces.layout import (
    DEVICE,
    IGNORED,
    INT32_MAX,
    INT64_MAX,
    MAX_DEVICES,
    MEMORY,
    NO_MEMORY,
    NO_STEP,
    STAGE,
    STEP,
    TIMESTAMP,
    Columns,
    Layout,
)  # fmt: skip

try:
    from loaders.traces.by_numba import read_lines
except ImportError:
    from loaders.traces.by_arrow import read_lines
from loaders.units import MISSING, mib

SLOW_BYTES = 1 << 16
NEAR = 1 << 12
INTEGER = re.compile(rb"-?[0-9]+")
WORD = re.compile(r"[\x21-\x7e]{0,64}")
OTHER_UNIT = re.compile(r"(?i)[_ (](bytes|kb|kib|mb|gb|gib)\)?$")
LINE_END = re.compile(rb"\r\n|\n|\r")


class RefusedTrace(ValueError):
    """The file as a whole cannot be read; the message says why, `line` where."""

    def __init__(self, problem: str, line: int = 1):
        super().__init__(problem)
        self.line = line


@dataclass
class TraceLines:
    """The lines of one trace, fed in pieces, read into `Columns`.

    `choose` gives the layout from the first two lines' fields, and whether the first is a header.
    `stage_code` gives the small number that stands for a stage word.
    `rejects` and `absences` hold what could not be read and how missing values were spelled.
    """

    member_path: str
    limits: Limits
    choose: Callable[[list[str], list[str] | None], tuple[Layout, bool]]
    stage_code: Callable[[str], int]
    rejects: list[Reject] = field(default_factory=list)
    absences: dict[tuple[str, str], Absence] = field(default_factory=dict)
    layout: Layout | None = None
    rejected: int = 0
    lines: int = 0

    def __post_init__(self):
        self._carry, self._offset, self._line, self._skipping = b"", 0, 1, False

    def feed(self, piece: bytes | memoryview, is_last: bool) -> Iterator[Columns]:
        """Read the whole lines of `piece`. Raises RefusedTrace before any row when header and rows do not fit."""
        # A view, so that a whole trace passes without being copied.
        data = memoryview(self._carry + bytes(piece) if self._carry else piece)
        if self._skipping:
            data = self._skip_to_line_end(data)
        if self.layout is None and not is_last and not self._can_begin(data):
            self._carry = bytes(data)
            return
        whole = _last_line_end(data)
        body, rest = data[:whole], bytes(data[whole:])
        if self.layout is None and len(body):
            body = self._begin(body)
        if len(body):
            yield from self._read(body)
        self._carry = b"" if is_last else rest
        if rest and is_last:
            self._reject(self._line, self._offset, "the last line has no line end: it is torn", rest)
        elif len(rest) > self.limits.line_bytes:
            self._reject(self._line, self._offset, f"a line of more than {self.limits.line_bytes} bytes", rest)
            self._carry, self._skipping = b"", True
            self._offset += len(rest)

    def _skip_to_line_end(self, data: memoryview) -> memoryview:
        end = _line_end(data, 0)
        self._offset += end or len(data)
        if not end:
            return data[:0]
        self._skipping = False
        self._line += 1
        return data[end:]

    def _can_begin(self, data: memoryview) -> bool:
        """The layout needs two lines; what is long without any is a damaged file."""
        first_end = _line_end(data, 0)
        return len(data) > 2 * self.limits.line_bytes or (first_end > 0 and _line_end(data, first_end) > 0)

    def _begin(self, body: memoryview) -> memoryview:
        """Settle the layout; drop a byte-order mark and the header."""
        if body[:3] == b"\xef\xbb\xbf":
            self._offset += 3
            body = body[3:]
        first_end = _line_end(body, 0)
        second_end = _line_end(body, first_end)
        second = _fields(body[first_end : second_end - 1]) if second_end else None
        self.layout, has_header = self.choose(_fields(body[: first_end - 1]), second)
        if has_header:
            self._offset += first_end
            self._line += 1
            body = body[first_end:]
        return body

    def _read(self, data: bytes | memoryview) -> Iterator[Columns]:
        columns = read_lines(data, self.layout, self._code)
        if columns is None:
            data = bytes(data)
            if len(data) > SLOW_BYTES and (middle := data.find(b"\n", len(data) // 2) + 1) not in (0, len(data)):
                yield from self._read(data[:middle])
                yield from self._read(data[middle:])
                return
            columns = self._slow(data)
        else:
            self._line += len(columns.timestamp)
            self._offset += len(data)
            self.lines += len(columns.timestamp)
        if len(columns.timestamp):
            yield columns

    def _code(self, word: bytes) -> int | None:
        text = word.decode("ascii", "replace")
        try:
            return self.stage_code(text) if WORD.fullmatch(text) else None
        except ValueError:
            return None

    def _slow(self, data: bytes) -> Columns:
        roles = self.layout.roles
        rows: list[list[int]] = []
        at = 0
        while at < len(data):
            ending = LINE_END.search(data, at)
            line = data[at : ending.start()]
            try:
                rows.append(self._row(line))
            except ValueError as problem:
                self._reject(self._line, self._offset + at, str(problem), line)
            at = ending.end()
            self._line += 1
        self._offset += len(data)
        self.lines += len(rows)
        table = np.array(rows, dtype=np.int64).reshape(len(rows), len(roles))

        def one(role: str, dtype: type) -> np.ndarray | None:
            return table[:, roles.index(role)].astype(dtype) if role in roles else None

        memory = table[:, [position for position, role in enumerate(roles) if role == MEMORY]].astype(np.int32)
        return Columns(
            table[:, roles.index(TIMESTAMP)], one(STEP, np.int32), one(STAGE, np.uint8), one(DEVICE, np.int32), memory
        )

    def _row(self, line: bytes) -> list[int]:
        """The line's values; raises ValueError with the reason to reject it."""
        if b"\0" in line:
            raise ValueError("NUL bytes")
        fields = line.split(b",")
        if len(fields) != len(self.layout.names):
            raise ValueError(f"{len(fields)} fields, expected {len(self.layout.names)}")
        found: list[tuple[str, str, str]] = []
        row = [self._value(*cell, found) for cell in zip(self.layout.names, self.layout.roles, fields, strict=True)]
        for name, spelling, absence in found:
            before = self.absences.get((name, spelling))
            count, first = (before.value_count + 1, before.first_line_number) if before else (1, self._line)
            self.absences[name, spelling] = Absence(self.member_path, name, spelling, absence, count, first)
        return row

    def _value(self, name: str, role: str, cell: bytes, found: list[tuple[str, str, str]]) -> int:
        if role == IGNORED:
            return 0
        if role == STAGE:
            word = cell.decode("ascii", "replace")
            if not WORD.fullmatch(word):
                raise ValueError(f"{name} {word[:80]!r} is not a word")
            return self.stage_code(word)
        bare = cell.strip(b" \t")
        if INTEGER.fullmatch(bare):
            return _bounded(name, role, int(bare[:40]))
        text = cell.decode("utf-8", "replace").strip(" \t")
        absence, value = _reading(text) if role == MEMORY else (MISSING.get(text) if role == STEP else None, None)
        if absence is None and value is None:
            raise ValueError(f"{name} {text[:80]!r} is not a whole number")
        if absence is None:
            return _bounded(name, role, value)
        found.append((name, text[:80], absence))
        return NO_MEMORY if role == MEMORY else NO_STEP

    def _reject(self, line: int, offset: int, reason: str, raw: bytes) -> None:
        self.rejected += 1
        if self.rejected <= self.limits.rejects_per_member:
            text = raw[: self.limits.text_bytes].decode("utf-8", "backslashreplace").replace("\0", "\\x00")
            self.rejects.append(Reject(self.member_path, line, offset, reason, text))


def _line_end(data: memoryview, start: int) -> int:
    """The position behind the first line end from `start` on, 0 when there is none. Most lines are short."""
    for reach in (NEAR, len(data)):
        found = bytes(data[start : start + reach]).find(b"\n")
        if found >= 0:
            return start + found + 1
    return 0


def _last_line_end(data: memoryview) -> int:
    """The position behind the last line end, 0 when there is none."""
    for reach in (NEAR, len(data)):
        start = max(len(data) - reach, 0)
        found = bytes(data[start:]).rfind(b"\n")
        if found >= 0:
            return start + found + 1
    return 0


def _reading(text: str) -> tuple[str | None, int | None]:
    """A memory cell that is not a bare whole number: why it is absent, or its value in whole MiB."""
    if text in MISSING:
        return MISSING[text], None
    amount = mib(text)
    if amount is None or isinstance(amount, str):
        return amount, None
    if amount.denominator != 1:
        return "not_whole_mib", None
    return None, int(amount)


def _bounded(name: str, role: str, value: int) -> int:
    if role == MEMORY and not 0 <= value <= INT32_MAX:
        raise ValueError(f"{name} {value} is no memory reading in MiB")
    if role == DEVICE and not 0 <= value < MAX_DEVICES:
        raise ValueError(f"{name} {value} is outside 0..{MAX_DEVICES - 1}")
    if role == TIMESTAMP and not -INT64_MAX <= value <= INT64_MAX:
        raise ValueError(f"{name} {value} does not fit into 64 bits")
    if role == STEP and not -INT32_MAX <= value <= INT32_MAX:
        raise ValueError(f"{name} {value} does not fit into 32 bits")
    return value


def _fields(line: memoryview) -> list[str]:
    return [text.strip(" \t\r") for text in bytes(line).decode("utf-8", "replace").split(",")]


def is_header(fields: list[str]) -> bool:
    """A header names its columns: its first field is not a number and not a missing one."""
    return not re.fullmatch(r"-?[0-9]+", fields[0]) and fields[0] not in MISSING and fields[0].isidentifier()


def check_header(header: list[str], row: list[str] | None) -> None:
    """Raise RefusedTrace when a header repeats a name or is not as wide as the row below it."""
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise RefusedTrace(f"the header names {repeated} more than once")
    if row is not None and len(row) != len(header):
        raise RefusedTrace(f"the header has {len(header)} names, the row below it {len(row)} fields", 2)


def widest_sound(first: list[str], second: list[str] | None, fewest: int) -> int:
    """The field count of a headerless trace: that of its first line, or of the second where the first is damaged."""
    damaged = len(first) < fewest or any("\0" in text for text in first)
    return len(second) if damaged and second is not None else len(first)


def check_devices(count: int, names: tuple[str, ...] = ()) -> None:
    """Raise RefusedTrace unless `count` device columns can be held and their names claim no other unit than MiB."""
    foreign = [name for name in names if OTHER_UNIT.search(name)]
    if foreign:
        raise RefusedTrace(f"the columns {foreign} are not in MiB")
    if not 1 <= count <= MAX_DEVICES:
        raise RefusedTrace(f"{count} device columns, expected 1 to {MAX_DEVICES}")
