"""Faults that people really have, each put once into a written release folder.

A scenario takes the folder, and what becomes of its manifests (`seal`, refreshed unless told otherwise); it returns
the path of the file that has the fault. FAULTS lists every scenario by name. Ids such as T4 are those of the list of
bad inputs; each scenario works on the sample and on a copy of the real tables.
"""

import csv
import functools
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, ParamSpec

from tests.synthetic.sealing import Seal, apply

RUNS = "benchmark/runs.csv"
CONFIGURATIONS = "benchmark/configuration_results.csv"
ATTEMPTS = "benchmark/attempts.csv"
STAGES = "benchmark/stage_measurements.csv"
ADMISSION_ATTEMPTS = "benchmark/decision/results/attempts.csv"
REALIZED_WORK = "benchmark/decision/results/realized_work.csv"
PAIRS = "benchmark/estimation/results/pairs.csv"
FEASIBILITY = "tables/three-model-configurations.csv"
FEASIBILITY_MIRROR = "profiles/standard_grpo/three-model-configurations.csv"

MISSING_SPELLINGS = ("", "nan", "NaN", "None", "[N/A]", "N/A")

Options = ParamSpec("Options")
FAULTS: dict[str, Callable[..., str]] = {}


def _fault(change: Callable[Concatenate[Path, Options], str]) -> Callable[..., str]:
    """Register a change as a scenario, which takes `seal` as well."""

    @functools.wraps(change)
    def scenario(release: Path, *options: object, seal: Seal = Seal.REFRESHED, **named: object) -> str:
        place = change(release, *options, **named)  # type: ignore[arg-type]
        apply(seal, release)
        return place

    FAULTS[change.__name__] = scenario
    return scenario


def read_rows(path: Path) -> list[list[str]]:
    """Header and rows of a CSV file, as texts."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def write_rows(path: Path, rows: list[list[str]]) -> None:
    """Write them as the release does: line feeds, minimal quoting."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    path.write_text(buffer.getvalue(), encoding="utf-8", newline="")


def set_cell(path: Path, column: str, text: str, row: int = 1) -> None:
    """Put `text` into one cell; row 1 is the first below the header."""
    rows = read_rows(path)
    rows[row][rows[0].index(column)] = text
    write_rows(path, rows)


def first_row_with(path: Path, column: str, word: str) -> int:
    """Number of the first row whose cell of `column` says `word`."""
    rows = read_rows(path)
    position = rows[0].index(column)
    return next(number for number, row in enumerate(rows) if number and row[position] == word)


@_fault
def short_row(release: Path, path: str = STAGES) -> str:
    """T2: the second row has one field fewer than the header."""
    rows = read_rows(release / path)
    rows[2] = rows[2][:-1]
    write_rows(release / path, rows)
    return path


@_fault
def long_row(release: Path, path: str = STAGES) -> str:
    """T2: the second row has one field more than the header."""
    rows = read_rows(release / path)
    rows[2] = [*rows[2], "surplus"]
    write_rows(release / path, rows)
    return path


@_fault
def short_header(release: Path, path: str = REALIZED_WORK) -> str:
    """T2: the header lost its last name, and every row kept its fields."""
    rows = read_rows(release / path)
    rows[0] = rows[0][:-1]
    write_rows(release / path, rows)
    return path


@_fault
def duplicate_header_name(release: Path, path: str = PAIRS, column: str = "pair_id") -> str:
    """T3: a name stands in the header twice, the second time over a column of its own."""
    rows = read_rows(release / path)
    rows = [[*rows[0], column], *([*row, "x"] for row in rows[1:])]
    write_rows(release / path, rows)
    return path


@_fault
def torn_last_line(release: Path, path: str = PAIRS) -> str:
    """T4: the file ends in the middle of its last line.

    A digest that is proved proves the file whole, so the line is told torn only with `Seal.REMOVED`.
    """
    target = release / path
    body = target.read_bytes().rstrip(b"\n")
    start = body.rindex(b"\n") + 1
    target.write_bytes(body[: start + (len(body) - start) // 2])
    return path


@_fault
def nul_block(release: Path, path: str = STAGES) -> str:
    """T5: a block of NUL bytes on a line of its own after the second row."""
    lines = (release / path).read_bytes().splitlines(keepends=True)
    lines.insert(3, b"\0" * 512 + b"\n")
    (release / path).write_bytes(b"".join(lines))
    return path


@_fault
def missing_spelling(release: Path, spelling: str = "nan", path: str = CONFIGURATIONS) -> str:
    """T6: the peaks of a setting in which nothing completed say `spelling`, one of MISSING_SPELLINGS."""
    row = first_row_with(release / path, "max_completed_run_peak_mib", "")
    for column in ("max_completed_run_peak_mib", "mean_completed_run_peak_mib"):
        set_cell(release / path, column, spelling, row)
    return path


@_fault
def missing_words_as_text(release: Path, path: str = ATTEMPTS) -> str:
    """T7: two excluded attempts whose reasons are the texts `None` and `null`: words, not absences."""
    rows = read_rows(release / path)
    reason = rows[0].index("exclusion_reason")
    first, second = [number for number, row in enumerate(rows) if number and row[reason]][:2]
    set_cell(release / path, "exclusion_reason", "None", first)
    set_cell(release / path, "exclusion_reason", "null", second)
    return path


@_fault
def nan_in_json(release: Path, path: str = CONFIGURATIONS) -> str:
    """T8: the table is a JSON list of objects, and a missing peak is the bare NaN that JSON does not have."""
    header, *rows = read_rows(release / path)
    objects = [dict(zip(header, row, strict=True)) for row in rows]
    missing = next(item for item in objects if not item["max_completed_run_peak_mib"])
    text = json.dumps(
        [item | ({"max_completed_run_peak_mib": float("nan")} if item is missing else {}) for item in objects]
    )
    target = Path(path).with_suffix(".json").as_posix()
    (release / target).write_text(text, encoding="utf-8")
    (release / path).unlink()
    return target


@_fault
def malformed_table(release: Path, path: str = REALIZED_WORK) -> str:
    """T9: a quote is opened in the first row and never closed, so the file is no CSV; every other table is good."""
    target = release / path
    head, first, *rest = target.read_text(encoding="utf-8").splitlines(keepends=True)
    target.write_text("".join((head, '"' + first, *rest)), encoding="utf-8", newline="")
    return path


@_fault
def second_file_with_other_columns(release: Path, path: str = FEASIBILITY, second: str = FEASIBILITY_MIRROR) -> str:
    """T10: a second file of one view has another column than the first.

    The default is the mirror of the feasibility view below `profiles/`, where earlier releases have it.
    """
    rows = read_rows(release / path)
    target = release / second
    target.parent.mkdir(parents=True, exist_ok=True)
    write_rows(target, [[*rows[0][:-1], "another_name"], *rows[1:]])
    return second


@_fault
def unknown_column(release: Path, path: str = STAGES) -> str:
    """T11: a known table has a column that nobody declared."""
    rows = read_rows(release / path)
    write_rows(release / path, [[*rows[0], "sampler_build"], *([*row, "7"] for row in rows[1:])])
    return path


@_fault
def missing_column(release: Path, path: str = STAGES, column: str = "coverage") -> str:
    """T11: a known column is gone."""
    rows = read_rows(release / path)
    position = rows[0].index(column)
    write_rows(release / path, [row[:position] + row[position + 1 :] for row in rows])
    return path


@_fault
def unknown_status_word(release: Path, path: str = RUNS, column: str = "observed_state", word: str = "oom") -> str:
    """T12: a state that is not in the collector's vocabulary."""
    set_cell(release / path, column, word)
    return path


@_fault
def peak_in_gib(release: Path, path: str = RUNS) -> str:
    """T14: a peak that was written in GiB and says so in its cell, in a column of MiB."""
    row = first_row_with(release / path, "completed_requested_work", "1")
    set_cell(release / path, "observed_peak_mib", "35.2 GiB", row)
    return path


@_fault
def peak_silently_in_gib(release: Path, path: str = RUNS) -> str:
    """T14: the same without the unit: a good number, a thousand times too small.

    No reader can refuse it; it shows against the run's stages and its configuration's largest peak.
    """
    row = first_row_with(release / path, "completed_requested_work", "1")
    for column in ("observed_peak_mib", "completed_run_peak_mib"):
        set_cell(release / path, column, "35.2", row)
    return path


@_fault
def other_bytes(release: Path, path: str = RUNS) -> str:
    """A digest that is not the promised one: a peak was changed. The manifests are to be STALE for it."""
    row = first_row_with(release / path, "completed_requested_work", "1")
    set_cell(release / path, "elapsed_seconds", "1.0", row)
    return path


@_fault
def cohort_rows_gone(release: Path, path: str = RUNS, column: str = "study", word: str = "four_gpu") -> str:
    """X3: all rows of one part are gone, and nothing else tells."""
    rows = read_rows(release / path)
    position = rows[0].index(column)
    write_rows(release / path, [row for number, row in enumerate(rows) if not number or row[position] != word])
    return path


@_fault
def not_utf8(release: Path, path: str = ADMISSION_ATTEMPTS) -> str:
    """A byte that no UTF-8 text has, in the middle of the first row."""
    head, first, *rest = (release / path).read_bytes().splitlines(keepends=True)
    middle = len(first) // 2
    (release / path).write_bytes(b"".join((head, first[:middle] + b"\xff" + first[middle:], *rest)))
    return path


@_fault
def byte_order_mark(release: Path, path: str = STAGES) -> str:
    """The mark a spreadsheet writes before the header when it saves UTF-8."""
    target = release / path
    target.write_bytes(b"\xef\xbb\xbf" + target.read_bytes())
    return path


@_fault
def key_twice(release: Path, path: str = STAGES) -> str:
    """The first row stands a second time at the end."""
    rows = read_rows(release / path)
    write_rows(release / path, [*rows, rows[1]])
    return path


@_fault
def blank_in_a_column_that_is_never_missing(release: Path, path: str = STAGES) -> str:
    """A stage row without its peak: a stage nobody sampled has no row at all, so this is no missing measure."""
    set_cell(release / path, "observed_peak_mib", "")
    return path


@_fault
def empty_file(release: Path, path: str = PAIRS) -> str:
    """A file of no bytes, as a full disk leaves it."""
    (release / path).write_bytes(b"")
    return path


@_fault
def table_gone(release: Path, path: str = PAIRS) -> str:
    """A file is not there; with STALE manifests they still promise it."""
    (release / path).unlink()
    return path
