"""Read one registered table strictly, as text.

Source:  CSV of the release (UTF-8, comma, header), headerless pipe-separated scheduler accounting; for a view of
         which a user has only the Hub's Parquet or a JSON list, those.
Yields:  batches of rows, each row one text per column plus its line, in file order.
Units:   as written.
Missing: a blank cell stays "", `nan` stays `nan`: staging makes them NULL, nobody makes them 0.
Errors:  EvidenceError naming file, line, column and text: another header or width, an unreadable cell, a duplicate
         key; blocking when a status word is in no registered vocabulary.
"""

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from loaders.errors import EvidenceError
from loaders.lines import Lines, Reject
from loaders.registry import PROVENANCE, Column, Registry, Table
from loaders.values import EXPECTED, spelling_check

BATCH_ROWS = 20_000
MAX_CELL_CHARACTERS = 16 << 20
csv.field_size_limit(MAX_CELL_CHARACTERS)


@dataclass
class TableFile:
    """One open table: its header as found, the raw column names, and, while `batches` runs, what was set aside."""

    header: list[str]
    columns: list[str]
    unknown_columns: list[str]
    batches: Iterator[list[tuple[int, list[str]]]]
    rejects: list[Reject] = field(default_factory=list)


def open_table(stream: BinaryIO, table: Table, registry: Registry, place: str, is_proved: bool) -> TableFile:
    """Read the header of `stream` and return the table; rows are read, and checked, as its batches are taken."""
    if place.endswith(".parquet"):
        header, rows, rejects = *_parquet_rows(stream, table, place), []
    elif place.endswith(".json"):
        header, rows, rejects = *_json_rows(stream, table, place), []
    else:
        lines = Lines(stream, place, is_proved)
        header, rows = _delimited_rows(lines, table, place)
        rejects = lines.rejects
    unknown = _check_header(header, table, place)
    names = raw_column_names(header)
    return TableFile(header, names, unknown, _checked(rows, header, table, registry, place), rejects)


def raw_column_names(header: list[str]) -> list[str]:
    """The columns of `raw.<table>` for this header: its own names, save those that would clash or are empty."""
    return [
        f"column_{position}" if not name else f"{name}__in_file" if name.lower() in PROVENANCE else name
        for position, name in enumerate(header, start=1)
    ]


def _delimited_rows(lines: Lines, table: Table, place: str) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    numbered = _Numbered(lines)
    if table.format == "psv":
        reader = csv.reader(numbered, delimiter="|", quoting=csv.QUOTE_NONE)
        return [column.name for column in table.columns], _records(reader, numbered, place)
    reader = csv.reader(numbered, strict=True)
    records = _records(reader, numbered, place)
    _, header = next(records, (1, None))
    if header is None:
        raise EvidenceError(place, 1, "the file is empty, expected a header", "Get the file again from the release.")
    return header, records


class _Numbered:
    """Lines that remember on which physical line the record that is being read began."""

    def __init__(self, lines: Lines):
        self._lines, self._iterator = lines, iter(lines)
        self.first_line: int | None = None

    def __iter__(self) -> "_Numbered":
        return self

    def __next__(self) -> str:
        line = next(self._iterator)
        if self.first_line is None:
            self.first_line = self._lines.number
        return line


def _records(reader: Iterable[list[str]], numbered: _Numbered, place: str) -> Iterator[tuple[int, list[str]]]:
    rows = iter(reader)
    while True:
        numbered.first_line = None
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise EvidenceError(
                place, numbered.first_line, f"the quoting is broken ({error})", "Get the file again from the release."
            ) from error
        yield numbered.first_line or 0, row


def _check_header(header: list[str], table: Table, place: str) -> list[str]:
    """Names in the header that the registry does not know (kept in raw, reported)."""
    seen: dict[str, str] = {}
    for name in header:
        if name and name.lower() in seen:
            raise EvidenceError(
                place,
                1,
                f"the header has {seen[name.lower()]!r} and {name!r}, expected each name once whatever its case",
                "Evidence is never edited: ask who wrote the file which of the two columns is meant.",
            )
        seen[name.lower()] = name
    if not table.columns:
        return []
    declared = {column.name for column in table.columns}
    missing = [column.name for column in table.columns if column.is_required and column.name not in header]
    if missing:
        raise EvidenceError(
            place,
            1,
            f"the header lacks {missing}; found {header}",
            f"Expected the columns of {table.name} in seeds/table_columns.csv.",
        )
    return [name for name in header if name not in declared]


def _checked(
    rows: Iterator[tuple[int, list[str]]], header: list[str], table: Table, registry: Registry, place: str
) -> Iterator[list[tuple[int, list[str]]]]:
    checks = _cell_checks(header, table, registry, place)
    key_positions = [header.index(name) for name in table.grain_key if name in header]
    lines_of_keys: dict[tuple[str, ...], int] = {}
    batch: list[tuple[int, list[str]]] = []
    for line, row in rows:
        if len(row) != len(header):
            raise EvidenceError(
                place,
                line,
                f"{len(row)} fields {_shown(row)}, expected {len(header)}",
                "Evidence is never edited: get the file again, or correct its header in seeds/table_columns.csv.",
            )
        for check, cell in zip(checks, row, strict=True):
            check(cell, line)
        if key_positions:
            key = tuple(row[position] for position in key_positions)
            if (first := lines_of_keys.setdefault(key, line)) != line:
                raise EvidenceError(
                    place,
                    line,
                    f"the key {dict(zip(table.grain_key, key, strict=True))} stands at line {first} already",
                    "One row per grain key: get the file again from the release.",
                )
        batch.append((line, row))
        if len(batch) == BATCH_ROWS:
            yield batch
            batch = []
    _raise_unknown_words(checks, place)
    if batch:
        yield batch


class _CellCheck:
    """Checks the cells of one column; each distinct text is looked at once.

    Unknown status words are gathered so that one message names them all.
    """

    def __init__(self, column: Column, registry: Registry, place: str):
        self._column, self._place = column, place
        self._words = registry.vocabularies.get(column.vocabulary) if column.vocabulary else None
        self._absent = registry.absence_spellings if column.value_type != "text" else {"": "blank"}
        self._is_spelled = spelling_check(column.value_type)
        self._good: set[str] = set()
        self.unknown_words: dict[str, int] = {}

    def __call__(self, cell: str, line: int) -> None:
        if cell in self._good:
            return
        if cell in self._absent:
            if not self._column.is_nullable:
                self._fail(cell, line, "this column is never missing")
        elif not self._is_spelled(cell):
            self._fail(cell, line, f"expected {EXPECTED[self._column.value_type]}")
        elif self._words is not None and cell not in self._words:
            self.unknown_words.setdefault(cell, line)
            return
        if len(self._good) < BATCH_ROWS:
            self._good.add(cell)

    def word_faults(self) -> list[tuple[int, str]]:
        name, vocabulary = self._column.name, self._column.vocabulary
        return [
            (line, f"{name} says {word!r} at line {line}, which is not in the vocabulary {vocabulary}")
            for word, line in self.unknown_words.items()
        ]

    def _fail(self, cell: str, line: int, expectation: str) -> None:
        raise EvidenceError(
            self._place,
            line,
            f"{self._column.name} is {cell[:100]!r}, {expectation}",
            "Evidence is never edited: get the file again, or teach seeds/table_columns.csv this spelling.",
        )


def _cell_checks(header: list[str], table: Table, registry: Registry, place: str) -> list[Callable[[str, int], None]]:
    declared = {column.name: column for column in table.columns}
    anything = Column(name="", is_required=False, value_type="text", is_nullable=True, vocabulary=None)
    return [_CellCheck(declared.get(name, anything), registry, place) for name in header]


def _raise_unknown_words(checks: list, place: str) -> None:
    faults = sorted(fault for check in checks for fault in check.word_faults())
    if faults:
        raise EvidenceError(
            place,
            faults[0][0],
            "; ".join(text for _, text in faults),
            "Add the word with its meaning to seeds/collector_statuses.csv (or the file that holds that vocabulary).",
            blocks=True,
        )


def _shown(row: list[str]) -> list[str]:
    return [cell[:40] for cell in row[:12]] + (["…"] if len(row) > 12 else [])


def _json_rows(stream: BinaryIO, table: Table, place: str) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Rows of a JSON list of objects. Numbers keep the text they were written with, so no digit is lost."""
    try:
        body = json.loads(stream.read().decode("utf-8"), parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise EvidenceError(place, None, f"it is not JSON ({error})", "Get the file again from the release.") from error
    if not isinstance(body, list) or not all(isinstance(row, dict) for row in body):
        raise EvidenceError(place, None, "it is not a list of objects", "A table as JSON has one object per row.")
    header = list(dict.fromkeys(name for row in body for name in row))
    texts = _texts(header, table)
    return header, ((number, texts(row)) for number, row in enumerate(body, start=1))


def _parquet_rows(stream: BinaryIO, table: Table, place: str) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    import pyarrow.parquet as pq  # here: it takes as long to import as a build with nothing to do has for the rest

    try:
        file = pq.ParquetFile(stream)
    except Exception as error:  # pyarrow raises its own and plain OSError for one and the same fault
        raise EvidenceError(place, None, f"it is not Parquet ({error})", "Get the file again.") from error
    header = file.schema_arrow.names
    texts = _texts(header, table)
    rows = (row for batch in file.iter_batches(BATCH_ROWS) for row in batch.to_pylist())
    return header, ((number, texts(row)) for number, row in enumerate(rows, start=1))


def _texts(header: list[str], table: Table) -> Callable[[dict], list[str]]:
    """Turn a typed row into the texts the CSV would hold; only flags differ by column."""
    as_digit = {column.name for column in table.columns if column.value_type == "flag_01"}

    def text(name: str, value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, bool):
            return str(int(value)) if name in as_digit else str(value)
        if isinstance(value, float):
            return "nan" if math.isnan(value) else repr(value)
        return json.dumps(value) if isinstance(value, (list, dict)) else str(value)

    return lambda row: [text(name, row.get(name)) for name in header]


def table_path(root: Path, table: Table) -> list[Path]:
    """The files below `root` that hold `table`, usual path first; Parquet or JSON only where no CSV is."""
    found = [root / path for path in table.paths if (root / path).is_file()]
    if not found and table.format == "csv":
        stand_ins = [Path(path).with_suffix(suffix) for path in table.paths for suffix in (".parquet", ".json")]
        found = [root / path for path in stand_ins if (root / path).is_file()]
    return found
