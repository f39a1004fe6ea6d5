"""Time a build of the real tables: loaders, dbt, the same SQL without dbt, and a build with nothing to do.

    python benchmarks/build.py [RELEASE] [--runs 5]

The things compared run in turn, so that a machine that slows down slows all of them; the median of the runs is
printed as the table of docs/performance.md. The peer runs the SQL that dbt compiled (models and tests, in dbt's order)
through one DuckDB connection: what dbt adds is the rest.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import duckdb

from loaders.registry import PROJECT, read_registry
from loaders.release import survey
from loaders.warehouse import load_releases


def load_tables(release: Path) -> None:
    """The loaders alone: survey, digests, strict reading, raw tables in a new file."""
    registry = read_registry()
    with tempfile.TemporaryDirectory() as folder, duckdb.connect(Path(folder) / "w.duckdb") as connection:
        load_releases(connection, [survey(release, registry)], registry, datetime(2026, 1, 1))


def run_dbt(folder: Path) -> None:
    """`dbt build` as a user types it, with a warm parse cache."""
    where = ["--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)]
    command = [sys.executable, "-m", "dbt.cli.main", "--quiet", "build", *where]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def compiled_statements() -> list[str]:
    """The SQL of the last dbt run, in its order: a relation for each model, a count for each test."""
    manifest = json.loads((PROJECT / "target/manifest.json").read_text())["nodes"]
    statements = []
    for result in json.loads((PROJECT / "target/run_results.json").read_text())["results"]:
        kind, sql = result["unique_id"].split(".")[0], result["compiled_code"]
        if kind == "model":
            node = manifest[result["unique_id"]]
            relation = "view" if node["config"]["materialized"] == "view" else "table"
            statements.append(f'create or replace {relation} {node["schema"]}."{node["alias"]}" as {sql}')
        elif kind == "test":
            statements.append(f"select count(*) from ({sql})")
    return statements


def run_sql(folder: Path, statements: list[str]) -> None:
    """The same statements through one connection, on a copy of the file."""
    copy = folder / "straight.duckdb"
    shutil.copyfile(folder / "warehouse.duckdb", copy)
    with duckdb.connect(copy) as connection:
        for statement in statements:
            connection.execute(statement)
    copy.unlink()


def run_command(folder: Path, release: Path) -> None:
    """`rlvram build` of a release that is in the file already."""
    command = [sys.executable, "-m", "rlvram.cli", "build", str(release)]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("release", type=Path, nargs="?", default=Path("../shared/upstream"))
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    release = arguments.release.absolute()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run_command(folder, release)
        run_dbt(folder)  # the parse cache is warm from here on
        statements = compiled_statements()
        unchanged = folder / "unchanged"
        unchanged.mkdir()
        run_command(unchanged, release)
        measured: dict[str, Callable[[], None]] = {
            "loaders alone": lambda: load_tables(release),
            "dbt build, warm": lambda: run_dbt(folder),
            "the same SQL through DuckDB": lambda: run_sql(folder, statements),
            "rlvram build, nothing changed": lambda: run_command(unchanged, release),
        }
        seconds: dict[str, list[float]] = {what: [] for what in measured}
        for _ in range(arguments.runs):
            for what, run in measured.items():
                started = time.perf_counter()
                run()
                seconds[what].append(time.perf_counter() - started)
    print("| step | median s | least | most |")
    print("|---|---|---|---|")
    for what, values in seconds.items():
        print(f"| {what} | {statistics.median(values):.2f} | {min(values):.2f} | {max(values):.2f} |")
    ratios = [a / b for a, b in zip(seconds["dbt build, warm"], seconds["the same SQL through DuckDB"], strict=True)]
    print(f"\ndbt / the same SQL, pair by pair: median {statistics.median(ratios):.1f} ({len(statements)} statements).")


if __name__ == "__main__":
    main()
