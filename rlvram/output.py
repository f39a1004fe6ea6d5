"""How things look: colour only on a terminal, progress on standard error, the result on standard output."""

import json
import sys
from decimal import Decimal

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from loaders.release import FoundArchive, FoundFile
from rlvram.building import BuildResult, Watcher
from rlvram.summary import Summary
from rlvram.why import Step, typed

# A file or a pipe has no width of its own: the table is then as wide as it needs to be read.
out = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
err = Console(stderr=True, highlight=False)


class ProgressBar(Watcher):
    """One bar for the whole build, on standard error; silent where that is no terminal."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=err,
            transient=True,
            disable=not err.is_terminal,
        )
        self._task = self._progress.add_task("reading tables", total=None)

    def __enter__(self) -> "ProgressBar":
        self._progress.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def file(self, file: FoundFile) -> None:
        self._progress.update(self._task, description=f"reading {file.path}")

    def archive(self, archive: FoundArchive, done: int, total: int) -> None:
        self._progress.update(
            self._task, description=f"reading {archive.path}, MB", completed=done >> 20, total=total >> 20
        )

    def node(self, done: int, total: int) -> None:
        self._progress.update(self._task, description="building and testing marts", completed=done, total=total)


def print_json(body: object) -> None:
    json.dump(body, sys.stdout, indent=2, default=str)
    sys.stdout.write("\n")


def print_error(message: str) -> None:
    err.print(message, style="red", markup=False, soft_wrap=True)


def print_failures(result: BuildResult) -> None:
    """What dbt refused, in dbt's words, with offending rows; its whole log when it gave up before it ran anything."""
    for node in result.failures:
        print_error(f"{node.kind} {node.name}: {node.status}. {node.message.strip()}")
        for row in result.examples.get(node.name, []):
            print_error(f"    {row}")
    if not result.failures:
        print_error(result.log)


def print_summary(summary: Summary, result: BuildResult | None = None) -> None:
    """The closing table: cohort, unit of observation, rows, labels; then what is absent and what to know."""
    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for name in ("cohort", "mart", "unit of observation"):
        table.add_column(name)
    table.add_column("rows", justify="right")
    table.add_column("labels or states")
    cohort = None
    for mart in summary.marts:
        if mart.status not in ("loaded", "unbound"):
            continue
        states = ", ".join(f"{count:,} {state}" for state, count in mart.states.items())
        if mart.status == "unbound":
            states = f"unbound, in raw.{mart.table_name}"
        name = mart.relation.split(".", 1)[1]
        table.add_row(
            "" if mart.cohort == cohort else mart.cohort, name, mart.unit_of_observation, f"{mart.row_count:,}", states
        )
        cohort = mart.cohort
    if table.row_count:
        out.print(table)
        out.print()
    for status, text in (("no_data", "Absent from this release"), ("refused", "Refused")):
        if marts := [mart.relation for mart in summary.marts if mart.status == status]:
            _print_line(f"{text}: {', '.join(marts)}.")
    absent = [f"{path} is promised by a manifest and absent" for path in (result.promised_but_absent if result else [])]
    for note in summary.notes + absent:
        _print_line(f"Note: {note}.")
    for problem in summary.problems:
        print_error(problem)
    releases = ", ".join(summary.releases) or "none"
    views = f"{summary.view_count} of the card's {summary.card_view_count} views"
    if result is None:
        _print_line(f"Release {releases}: {views}; build {summary.build_id}.")
    elif result.is_unchanged:
        _print_line(f"Release {releases}: {views}; nothing changed, nothing was built ({result.loader_seconds:.2f} s).")
    else:
        times = f"loaders {result.loader_seconds:.1f} s, dbt {result.dbt_seconds:.1f} s"
        _print_line(f"Release {releases}: {views}; {times}.")


def print_explanation(identifier: str, kind: str, steps: list[Step], show_sql: bool) -> None:
    """One block a step: a single row as a list of its columns, several rows as a line each."""
    _print_line(f"{kind} {identifier}")
    for step in steps:
        out.print(f"\n{step.title}", style="bold", markup=False)
        if show_sql:
            _print_line(f"  {typed(step.sql, identifier)}")
        for row in step.rows:
            known = {name: _shown(value) for name, value in row.items() if value is not None}
            if len(step.rows) == 1:
                width = max(map(len, known))
                for name, value in known.items():
                    _print_line(f"  {name:<{width}}  {value}")
            else:
                _print_line("  " + "  ".join(f"{name}={value}" for name, value in known.items()))
        if not step.rows:
            _print_line(f"  {step.when_empty}")


def _shown(value: object) -> str:
    return f"{value:,.1f}" if isinstance(value, Decimal) else str(value)


def _print_line(text: str) -> None:
    out.print(text, markup=False, soft_wrap=True)
