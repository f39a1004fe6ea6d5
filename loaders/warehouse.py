"""The only module that writes raw evidence to DuckDB: `raw.<table>`, and what was done in `raw.files` and its kin.

Every raw row carries `source_path`, `row_number` (the line its record begins on), `file_sha256`, `release_id` and
`loaded_at`. A file already loaded under the same release and digest is kept as it is. A refused table leaves no row.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

import duckdb
import pyarrow as pa

from loaders import raw_tables
from loaders.errors import EvidenceError
from loaders.evidence import read_evidence
from loaders.limits import DEFAULTS, Limits
from loaders.lines import Reject
from loaders.registry import Registry, Table
from loaders.release import FoundArchive, FoundFile, Release
from loaders.tables import TableFile, open_table

# Bookkeeping of the loader. `raw.documents` holds JSON files whole.
BOOKKEEPING = {
    "loads": "release_id varchar, position integer, source varchar, digest varchar, loaded_at timestamp",
    "files": "release_id varchar, table_name varchar, source_path varchar, status varchar, digest_check varchar, "
    "file_sha256 varchar, size_bytes bigint, row_count bigint, rejected_count bigint, header varchar, "
    "unknown_columns varchar, problem varchar",
    "rejects": "release_id varchar, source_path varchar, file_sha256 varchar, row_number bigint, byte_offset bigint, "
    "reason varchar, raw_text varchar",
    "documents": "document_name varchar, body varchar, source_path varchar, file_sha256 varchar, release_id varchar, "
    "loaded_at timestamp",
    "archives": "release_id varchar, source_path varchar, file_sha256 varchar, size_bytes bigint, "
    "digest_check varchar, member_count bigint, attempt_count bigint, finding_count bigint, loaded_at timestamp",
    "selected": "table_name varchar, release_id varchar, source_path varchar, file_sha256 varchar",
    "build_context": "loader_fingerprint varchar, code_fingerprint varchar, code_version varchar, build_id varchar",
}
_ARROW_TYPES = {
    pa.string(): "varchar",
    pa.int64(): "bigint",
    pa.int32(): "integer",
    pa.uint8(): "utinyint",
    pa.bool_(): "boolean",
}
# What evidence of archives fills. Its rejected lines go where those of tables go.
EVIDENCE = {
    table: ", ".join(f"{name} {_ARROW_TYPES[kind]}" for name, kind in columns.items())
    for table, columns in raw_tables.TABLES.items()
    if table != "rejects"
}
PROVENANCE_TYPES = {
    "source_path": "varchar",
    "row_number": "bigint",
    "file_sha256": "varchar",
    "release_id": "varchar",
    "loaded_at": "timestamp",
}


_REJECT_NAMES = {"archive_sha256": "file_sha256", "member_path": "source_path", "line_number": "row_number"}


@dataclass(frozen=True)
class FileOutcome:
    """What became of one registered table of one release; `status` is loaded, refused or absent."""

    release_id: str
    table: Table
    source_path: str
    status: str
    digest_check: str | None = None
    file: FoundFile | None = None
    row_count: int | None = None
    rejected_count: int = 0
    header: tuple[str, ...] = ()
    unknown_columns: tuple[str, ...] = ()
    problem: str | None = None
    is_new: bool = False


def load_releases(
    connection: duckdb.DuckDBPyConnection,
    releases: Iterable[Release],
    registry: Registry,
    loaded_at: datetime,
    on_file: Callable[[FoundFile], None] = lambda file: None,
    on_archive: Callable[[FoundArchive, int, int], None] = lambda archive, done, total: None,
    limits: Limits = DEFAULTS,
) -> list[FileOutcome]:
    """Make `raw` hold exactly `releases`, in that order: the last that holds a table is the one the marts show.

    Errors: EvidenceError that blocks (digest, vocabulary); the caller throws the file away. Other faults refuse
    their table and come back as outcomes.
    """
    releases = list(releases)
    connection.execute("create schema if not exists raw")
    for name, columns in (BOOKKEEPING | EVIDENCE).items():
        connection.execute(f"create table if not exists raw.{name} ({columns})")
    _forget_what_is_not_named(connection, releases)
    kept = {
        (release_id, table): (row_count, rejected, tuple(json.loads(header)), tuple(json.loads(unknown)))
        for release_id, table, row_count, rejected, header, unknown in connection.execute(
            "select release_id, table_name, row_count, rejected_count, header, unknown_columns from raw.files"
        ).fetchall()
    }
    outcomes: list[FileOutcome] = []
    for release in releases:
        found = {file.table.name: file for file in release.files}
        refused = {refusal.table.name: refusal for refusal in release.refusals}
        for table in registry.tables.values():
            if (file := found.get(table.name)) is not None:
                if (known := kept.get((release.release_id, table.name))) is not None:
                    row_count, rejected, header, unknown = known
                    outcomes.append(
                        FileOutcome(
                            release.release_id,
                            table,
                            file.path,
                            "loaded",
                            file.digest_check,
                            file,
                            row_count,
                            rejected,
                            header,
                            unknown,
                        )
                    )
                else:
                    on_file(file)
                    outcomes.append(_load_file(connection, release, file, registry, loaded_at))
            elif (refusal := refused.get(table.name)) is not None:
                outcomes.append(
                    FileOutcome(release.release_id, table, refusal.path, "refused", problem=refusal.problem)
                )
            else:
                outcomes.append(FileOutcome(release.release_id, table, table.paths[0], "absent"))
        for archive in release.archives:
            _load_archive(connection, release, archive, loaded_at, limits, on_archive)
    _write_bookkeeping(connection, releases, outcomes, loaded_at)
    return outcomes


def _forget_what_is_not_named(connection: duckdb.DuckDBPyConnection, releases: list[Release]) -> None:
    """Delete the rows of every (release, table) whose digest and path are not the ones of a named release."""
    named = {(r.release_id, f.table.name, f.path, f.sha256) for r in releases for f in r.files}
    _forget_archives(connection, {(r.release_id, a.path, a.sha256) for r in releases for a in r.archives})
    connection.execute("delete from raw.files where status <> 'loaded'")
    for release_id, table, path, sha256 in connection.execute(
        "select release_id, table_name, source_path, file_sha256 from raw.files"
    ).fetchall():
        if (release_id, table, path, sha256) in named:
            continue
        connection.execute("delete from raw.files where release_id = ? and table_name = ?", [release_id, table])
        connection.execute("delete from raw.rejects where release_id = ? and source_path = ?", [release_id, path])
        holder = _quoted(table) if _has_table(connection, table) else "documents"
        connection.execute(f"delete from raw.{holder} where release_id = ? and source_path = ?", [release_id, path])
        if holder != "documents" and connection.execute(f"select count(*) from raw.{holder}").fetchone() == (0,):
            connection.execute(f"drop table raw.{holder}")  # so that columns of a forgotten edition go too


def _forget_archives(connection: duckdb.DuckDBPyConnection, named: set[tuple[str, str, str]]) -> None:
    """Delete the evidence of every archive that no named release holds."""
    for release_id, path, sha256 in connection.execute(
        "select release_id, source_path, file_sha256 from raw.archives"
    ).fetchall():
        if (release_id, path, sha256) in named:
            continue
        key = [release_id, sha256]
        connection.execute(
            "delete from raw.trace_points where file_id in "
            "(select file_id from raw.trace_files where release_id = ? and archive_sha256 = ?)",
            key,
        )
        for table in EVIDENCE.keys() - {"trace_points"}:
            connection.execute(f"delete from raw.{table} where release_id = ? and archive_sha256 = ?", key)
        connection.execute("delete from raw.rejects where release_id = ? and file_sha256 = ?", key)
        connection.execute("delete from raw.archives where release_id = ? and file_sha256 = ?", key)


def _load_archive(
    connection: duckdb.DuckDBPyConnection,
    release: Release,
    archive: FoundArchive,
    loaded_at: datetime,
    limits: Limits,
    on_archive: Callable[[FoundArchive, int, int], None],
) -> None:
    """Read one archive in one transaction: its batches hold only once its end has been seen."""
    key = [release.release_id, archive.path]
    if connection.execute("select 1 from raw.archives where release_id = ? and source_path = ?", key).fetchone():
        return
    first_file_id = connection.execute("select coalesce(max(file_id), 0) + 1 from raw.trace_files").fetchone()[0]
    counts: Counter[str] = Counter()
    connection.begin()
    try:
        for table, batch in read_evidence(
            release.root / archive.path,
            release.release_id,
            limits,
            lambda done, total: on_archive(archive, done, total),
            expected_sha256=archive.sha256 if archive.size_bytes else None,
            must_be_proved=False,
            first_file_id=first_file_id,
        ):
            counts[table] += batch.num_rows
            rows = pa.Table.from_batches([batch])
            if table == "rejects":
                rows = rows.rename_columns([_REJECT_NAMES.get(name, name) for name in rows.column_names])
            _insert_arrow(connection, f"raw.{table}", rows)
        connection.execute(
            "insert into raw.archives values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                *key,
                archive.sha256,
                archive.size_bytes,
                archive.digest_check,
                counts["members"],
                counts["trials"],
                counts["findings"],
                loaded_at,
            ],
        )
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def _load_file(
    connection: duckdb.DuckDBPyConnection, release: Release, file: FoundFile, registry: Registry, loaded_at: datetime
) -> FileOutcome:
    table = file.table
    connection.begin()
    try:
        with (release.root / file.path).open("rb") as stream:
            if table.is_document:
                body = _document(stream.read(), file.path)
                connection.execute(
                    "insert into raw.documents values (?, ?, ?, ?, ?, ?)",
                    [table.name, body, file.path, file.sha256, release.release_id, loaded_at],
                )
                connection.commit()
                return FileOutcome(release.release_id, table, file.path, "loaded", file.digest_check, file, is_new=True)
            opened = open_table(stream, table, registry, file.path, is_proved=file.digest_check != "not_covered")
            declared = [column.name for column in table.columns if column.name not in opened.columns]
            _ensure_columns(connection, table.name, opened.columns + declared)
            row_count = sum(
                _insert(connection, table.name, opened, batch, file, release.release_id, loaded_at)
                for batch in opened.batches
            )
            _insert_rejects(connection, release.release_id, file, opened.rejects)
        connection.commit()
    except EvidenceError as error:
        connection.rollback()
        if error.blocks:
            raise
        return FileOutcome(
            release.release_id, table, file.path, "refused", file.digest_check, file, problem=str(error), is_new=True
        )
    except BaseException:
        connection.rollback()
        raise
    return FileOutcome(
        release.release_id,
        table,
        file.path,
        "loaded",
        file.digest_check,
        file,
        row_count,
        len(opened.rejects),
        tuple(opened.header),
        tuple(opened.unknown_columns),
        is_new=True,
    )


def _document(raw: bytes, place: str) -> str:
    try:
        text = raw.decode("utf-8")
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EvidenceError(place, None, f"it is not JSON ({error})", "Get the file again from the release.") from error
    return text


def _ensure_columns(connection: duckdb.DuckDBPyConnection, table: str, columns: list[str]) -> None:
    """Create `raw.<table>`, or add what this edition has and the earlier ones had not."""
    if not _has_table(connection, table):
        declared = [f"{_quoted(name)} varchar" for name in columns]
        declared += [f"{name} {kind}" for name, kind in PROVENANCE_TYPES.items()]
        connection.execute(f"create table raw.{_quoted(table)} ({', '.join(declared)})")
        return
    for name in columns:
        connection.execute(f"alter table raw.{_quoted(table)} add column if not exists {_quoted(name)} varchar")


def _insert(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    opened: TableFile,
    batch: list[tuple[int, list[str]]],
    file: FoundFile,
    release_id: str,
    loaded_at: datetime,
) -> int:
    cells = zip(*(row for _, row in batch), strict=True)
    arrays = {name: pa.array(column, pa.string()) for name, column in zip(opened.columns, cells, strict=True)}
    arrays["source_path"] = pa.repeat(pa.scalar(file.path, pa.string()), len(batch))
    arrays["row_number"] = pa.array([line for line, _ in batch], pa.int64())
    arrays["file_sha256"] = pa.repeat(pa.scalar(file.sha256, pa.string()), len(batch))
    arrays["release_id"] = pa.repeat(pa.scalar(release_id, pa.string()), len(batch))
    arrays["loaded_at"] = pa.repeat(pa.scalar(loaded_at, pa.timestamp("us")), len(batch))
    _insert_arrow(connection, f"raw.{_quoted(table)}", pa.table(arrays))
    return len(batch)


def _insert_rejects(
    connection: duckdb.DuckDBPyConnection, release_id: str, file: FoundFile, rejects: list[Reject]
) -> None:
    _append(
        connection,
        "raw.rejects",
        [
            {
                "release_id": release_id,
                "source_path": file.path,
                "file_sha256": file.sha256,
                "row_number": reject.line,
                "byte_offset": reject.byte_offset,
                "reason": reject.reason,
                "raw_text": reject.text,
            }
            for reject in rejects
        ],
    )


def _write_bookkeeping(
    connection: duckdb.DuckDBPyConnection, releases: list[Release], outcomes: list[FileOutcome], loaded_at: datetime
) -> None:
    connection.execute("delete from raw.files")
    _append(connection, "raw.files", [_file_row(outcome) for outcome in outcomes])
    connection.execute("delete from raw.loads")
    for position, release in enumerate(releases, start=1):
        connection.execute(
            "insert into raw.loads values (?, ?, ?, ?, ?)",
            [release.release_id, position, str(release.root), release.digest, loaded_at],
        )
    # The last named release that holds a table shows it. Where that file is refused, no older edition steps in
    # silently: the marts would then mix editions.
    connection.execute("delete from raw.selected")
    connection.execute(
        """
        insert into raw.selected
        select table_name, release_id, source_path, file_sha256
        from raw.files inner join raw.loads using (release_id)
        where status <> 'absent'
        qualify position = max(position) over (partition by table_name) and status = 'loaded'
        """
    )


def _file_row(outcome: FileOutcome) -> dict[str, object]:
    file = outcome.file
    return {
        "release_id": outcome.release_id,
        "table_name": outcome.table.name,
        "source_path": outcome.source_path,
        "status": outcome.status,
        "digest_check": outcome.digest_check,
        "file_sha256": file.sha256 if file else None,
        "size_bytes": file.size_bytes if file else None,
        "row_count": outcome.row_count,
        "rejected_count": outcome.rejected_count,
        "header": json.dumps(outcome.header),
        "unknown_columns": json.dumps(outcome.unknown_columns),
        "problem": outcome.problem,
    }


def _append(connection: duckdb.DuckDBPyConnection, table: str, rows: list[dict[str, object]]) -> None:
    """Insert `rows` by name in one statement; one statement a row costs a millisecond each."""
    if rows:
        _insert_arrow(connection, table, pa.Table.from_pylist(rows))


def _insert_arrow(connection: duckdb.DuckDBPyConnection, table: str, rows: pa.Table) -> None:
    # Registered by name: looking for a Python variable, DuckDB would first try to import every library it knows.
    connection.register("arriving", rows)
    connection.execute(f"insert into {table} by name select * from arriving")
    connection.unregister("arriving")


def _has_table(connection: duckdb.DuckDBPyConnection, table: str) -> bool:
    return connection.execute(
        "select count(*) from duckdb_tables() where schema_name = 'raw' and table_name = ?", [table]
    ).fetchone() == (1,)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
