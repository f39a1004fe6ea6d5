"""The `rlvram` command. Exit codes: 0 good, 1 a problem of evidence or rules, 2 usage."""

from pathlib import Path
from typing import Annotated

import typer

from loaders.errors import EvidenceError
from loaders.registry import PROJECT
from rlvram import output
from rlvram.building import BuildRefused, BuildResult, build
from rlvram.summary import Summary, summarise
from rlvram.why import explain, typed

app = typer.Typer(
    help="A relational evidence warehouse of GPU memory in reinforcement-learning training.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Warehouse = Annotated[
    Path, typer.Option("--warehouse", "-w", envvar="RLVRAM_WAREHOUSE", help="The DuckDB file.", show_default=True)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]
Releases = Annotated[
    list[Path] | None,
    typer.Argument(help="Folders of releases, or of parts of one. The last that holds a table is the one shown."),
]
DEFAULT_WAREHOUSE = Path("warehouse.duckdb")


@app.command("build")
def build_command(
    releases: Releases = None,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    block_size: Annotated[
        int | None, typer.Option(help="Block size in bytes of a new file: 16384 makes a small one.", hidden=True)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make the warehouse hold exactly RELEASES, or build again what it holds.

    It is built aside and replaces the old file only when every digest, status word and published count is right.
    Exit code 1: something was refused or rejected (it says what, and whether the file was replaced).

    Example: rlvram build ../rlvrambench-release
    """
    _make(releases or [], warehouse, with_marts=True, block_size=block_size, as_json=as_json)


@app.command("load")
def load_command(
    releases: Annotated[list[Path], typer.Argument(help="Folders of releases, or of parts of one.")],
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    as_json: AsJson = False,
) -> None:
    """Load RELEASES into raw and stop before the marts: `dbt build` makes them.

    Example: rlvram load ../rlvrambench-release && dbt build
    """
    _make(releases, warehouse, with_marts=False, block_size=None, as_json=as_json)


@app.command("status")
def status_command(warehouse: Warehouse = DEFAULT_WAREHOUSE, as_json: AsJson = False) -> None:
    """Say what the warehouse holds: releases, cohorts, rows, labels, what is absent, refused or rejected.

    Example: rlvram status --json
    """
    try:
        summary = summarise(warehouse)
    except EvidenceError as error:
        output.print_error(str(error))
        raise typer.Exit(1) from None
    _finish(summary, None, as_json)


@app.command("why")
def why_command(
    identifier: Annotated[str, typer.Argument(help="Configuration, run, attempt, query or candidate id.")],
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    show_sql: Annotated[bool, typer.Option("--sql", help="Print the SQL of each step too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say why something has its label: rule, runs, attempts, stages, the deciding samples and log lines, members.

    Example: rlvram why cfg-0d9ba9215ab5683e
    """
    try:
        kind, steps = explain(warehouse, identifier)
    except EvidenceError as error:
        output.print_error(str(error))
        raise typer.Exit(1) from None
    if as_json:
        body = [{"title": step.title, "sql": typed(step.sql, identifier), "rows": step.rows} for step in steps]
        output.print_json({"identifier": identifier, "kind": kind, "steps": body})
    else:
        output.print_explanation(identifier, kind, steps, show_sql)


def _make(releases: list[Path], warehouse: Path, with_marts: bool, block_size: int | None, as_json: bool) -> None:
    if not (PROJECT / "dbt_project.yml").is_file():
        output.print_error(
            f"{PROJECT} holds no dbt project: rlvram works from a clone, installed with `pip install -e .`"
        )
        raise typer.Exit(2)
    if missing := [str(release) for release in releases if not release.is_dir()]:
        output.print_error(f"no such folder: {', '.join(missing)}")
        raise typer.Exit(2)
    try:
        with output.ProgressBar() as progress:
            result = build(warehouse, releases, PROJECT, with_marts, block_size, progress)
        summary = summarise(warehouse)
    except EvidenceError as error:
        output.print_error(str(error))
        if not error.state:
            output.print_error("Nothing was built; the warehouse is as it was.")
        raise typer.Exit(1) from None
    except BuildRefused as refused:
        output.print_failures(refused.result)
        output.print_error("Nothing was replaced; the warehouse is as it was.")
        raise typer.Exit(1) from None
    except (KeyboardInterrupt, RuntimeError) as stopped:
        # Ctrl-C inside a statement arrives as DuckDB's own RuntimeError.
        if isinstance(stopped, RuntimeError) and "Query interrupted" not in str(stopped):
            raise
        output.print_error("Stopped; the warehouse is as it was.")
        raise typer.Exit(130) from None
    _finish(summary, result, as_json)


def _finish(summary: Summary, result: BuildResult | None, as_json: bool) -> None:
    if as_json:
        body = summary.as_json()
        if result is not None:
            body["build"] = {
                "is_unchanged": result.is_unchanged,
                "loader_seconds": round(result.loader_seconds, 3),
                "dbt_seconds": round(result.dbt_seconds, 3),
            }
        output.print_json(body)
    else:
        output.print_summary(summary, result)
    if summary.problems:
        raise typer.Exit(1)


if __name__ == "__main__":
    app()
