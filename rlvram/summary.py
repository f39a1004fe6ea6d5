"""What a warehouse holds: per mart the rows and labels, and what is absent, refused or set aside."""

from dataclasses import asdict, dataclass, field
from pathlib import Path

import duckdb

from loaders.errors import EvidenceError
from loaders.registry import read_registry

# The first of these that a mart has tells how its rows ended.
_STATE_COLUMNS = ("label", "observed_state", "evaluation_state", "state", "recorded_outcome", "status")


@dataclass(frozen=True)
class MartSummary:
    """One mart: `states` counts its rows by label or state; `status` is loaded, no_data, unbound or refused."""

    relation: str
    cohort: str
    unit_of_observation: str
    status: str
    table_name: str
    row_count: int | None
    states: dict[str, int]


@dataclass
class Summary:
    """The whole warehouse. `view_count` of the card's views are shown; `problems` end a build with exit code 1."""

    build_id: str | None = None
    releases: list[str] = field(default_factory=list)
    view_count: int = 0
    card_view_count: int = 0
    marts: list[MartSummary] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict:
        return asdict(self)


def open_read_only(warehouse: Path) -> duckdb.DuckDBPyConnection:
    """A read-only connection to the file, attached as `rlvram` whatever its name (a stem may equal a schema).

    Errors: EvidenceError when there is no such file or DuckDB cannot open it.
    """
    if not warehouse.exists():
        raise EvidenceError(str(warehouse), None, "there is no such file", "Build it: rlvram build FOLDER.")
    connection = duckdb.connect()
    quoted = str(warehouse).replace("'", "''")
    try:
        connection.execute(f"attach '{quoted}' as rlvram (read_only)")
    except duckdb.Error as error:
        raise EvidenceError(
            str(warehouse),
            None,
            f"it cannot be opened ({str(error).splitlines()[0]})",
            "See that no other process is writing it, and that it is a warehouse.",
        ) from error
    connection.execute("use rlvram")
    return connection


def summarise(warehouse: Path) -> Summary:
    """Read the summary from the file. A file without marts gives its releases and problems alone."""
    with open_read_only(warehouse) as connection:

        def rows(sql: str) -> list[tuple]:
            return connection.execute(sql).fetchall()

        summary = Summary()
        if not rows("select 1 from duckdb_tables() where schema_name = 'raw' and table_name = 'loads'"):
            raise EvidenceError(
                str(warehouse), None, "it is a DuckDB file, but no warehouse", "Build it: rlvram build FOLDER."
            )
        summary.releases = [row[0] for row in rows("select release_id from raw.loads order by position")]
        views = [table.name for table in read_registry().tables.values() if table.is_view]
        shown = {row[0] for row in rows("select table_name from raw.selected")}
        summary.view_count, summary.card_view_count = len(shown.intersection(views)), len(views)
        for path, problem in rows("select source_path, problem from raw.files where status = 'refused' order by all"):
            summary.problems.append(f"refused: {problem if problem.startswith(path) else f'{path}: {problem}'}")
        for path, count, reason, line in rows(
            "select source_path, count(*), arg_min(reason, row_number), min(row_number) from raw.rejects "
            "group by source_path order by source_path"
        ):
            first = f"the first, line {line}, for {reason}"
            summary.problems.append(f"rejected: {count} line(s) of {path} ({first}); they are in raw.rejects")
        uncovered = [
            row[0]
            for row in rows(
                "select source_path from raw.files where status = 'loaded' and digest_check = 'not_covered' order by 1"
            )
        ]
        if uncovered:
            named = ", ".join(uncovered[:3]) + (", …" if len(uncovered) > 3 else "")
            summary.notes.append(f"{len(uncovered)} file(s) that no manifest covers, so nothing proves them: {named}")
        for path, columns in rows(
            "select source_path, unknown_columns from raw.files where unknown_columns <> '[]' order by 1"
        ):
            summary.notes.append(f"{path} has columns nobody registered, kept in raw: {columns}")
        if not rows("select 1 from duckdb_tables() where schema_name = 'meta' and table_name = 'tables'"):
            summary.notes.append("the marts are not built: run rlvram build")
            return summary
        summary.build_id = next(iter(rows("select build_id from meta.build")), (None,))[0]
        for relation, cohort, unit, status, table, count in rows(
            "select relation, cohort, unit_of_observation, status, table_name, row_count from meta.tables "
            "order by cohort, relation"
        ):
            states = {} if status != "loaded" or relation.endswith(".reconciliation") else _states(connection, relation)
            summary.marts.append(MartSummary(relation, cohort, unit, status, table, count, states))
        for relation, differs in _differences(connection, summary.marts):
            summary.notes.append(
                f"{differs} published value(s) differ from ours: see {relation} where status = 'differs'"
            )
        for name, failures in rows(
            "select test_name, failures from meta.test_results where status not in ('pass', 'success') order by 1"
        ):
            summary.notes.append(f"test {name}: {failures} finding(s)")
        return summary


def _states(connection: duckdb.DuckDBPyConnection, relation: str) -> dict[str, int]:
    columns = {
        row[0]
        for row in connection.execute("select column_name from meta.columns where relation = ?", [relation]).fetchall()
    }
    column = next((name for name in _STATE_COLUMNS if name in columns), None)
    if column is None:
        return {}
    return dict(
        connection.execute(
            f"select coalesce({column}, 'no label'), count(*) from {relation} group by 1 order by 2 desc, 1"
        ).fetchall()
    )


def _differences(connection: duckdb.DuckDBPyConnection, marts: list[MartSummary]) -> list[tuple[str, int]]:
    found = []
    for mart in marts:
        if mart.relation.endswith(".reconciliation"):
            differs = connection.execute(f"select count(*) from {mart.relation} where status = 'differs'").fetchone()[0]
            if differs:
                found.append((mart.relation, differs))
    return found
