"""Build a warehouse from releases: survey, load, dbt, replace. The old file stays unless all of it went well."""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import duckdb

from loaders.errors import EvidenceError
from loaders.registry import Registry, read_registry
from loaders.release import FoundArchive, FoundFile, Refusal, Release, survey
from loaders.replacing import replacing
from loaders.warehouse import load_releases
from rlvram import dbt
from rlvram.fingerprint import code_fingerprint, loader_fingerprint


class Watcher:
    """What a build tells while it works; the default says nothing."""

    def file(self, file: FoundFile) -> None: ...
    def archive(self, archive: FoundArchive, done: int, total: int) -> None: ...
    def node(self, done: int, total: int) -> None: ...


@dataclass
class BuildResult:
    """What a build did. `is_unchanged`: nothing was to do, and dbt was not started.

    `failures` are dbt's; with any, nothing was replaced, and `examples` has offending rows of each failed test by name.
    """

    is_unchanged: bool = False
    loader_seconds: float = 0.0
    dbt_seconds: float = 0.0
    failures: tuple[dbt.NodeResult, ...] = ()
    warnings: tuple[dbt.NodeResult, ...] = ()
    log: str = ""
    examples: dict[str, list[str]] = field(default_factory=dict)
    promised_but_absent: list[str] = field(default_factory=list)


def build(
    warehouse: Path,
    sources: list[Path],
    project: Path,
    with_marts: bool = True,
    block_size: int | None = None,
    watcher: Watcher | None = None,
) -> BuildResult:
    """Make `warehouse` hold exactly the releases in `sources`, or, with none named, the ones it already holds.

    `with_marts` false stops after the loaders. Errors: EvidenceError (blocking) for a fault that leaves the old file.
    """
    watcher = watcher or Watcher()
    started = time.monotonic()
    registry = read_registry(project / "seeds")
    releases = [survey(source, registry) for source in sources] or _recorded_releases(warehouse, registry)
    releases = _distinct(releases)
    result = BuildResult(promised_but_absent=[path for release in releases for path in release.promised_but_absent])
    fingerprints = (loader_fingerprint(project), code_fingerprint(project) if with_marts else None)
    if _is_current(warehouse, releases, *fingerprints):
        result.is_unchanged = True
        result.loader_seconds = time.monotonic() - started
        return result

    with replacing(warehouse, block_size) as successor:
        with duckdb.connect(successor.path) as connection:
            _begin_raw(connection, fingerprints[0])
            load_releases(
                connection, releases, registry, datetime.now(UTC).replace(tzinfo=None), watcher.file, watcher.archive
            )
            connection.execute("delete from raw.build_context")
            connection.execute(
                "insert into raw.build_context values (?, ?, ?, null)", [*fingerprints, version("rlvram")]
            )
        result.loader_seconds = time.monotonic() - started
        if with_marts:
            run = dbt.build(project, successor.folder, watcher.node)
            result.dbt_seconds = time.monotonic() - started - result.loader_seconds
            result.failures, result.warnings, result.log = run.failures, run.warnings, run.log
            if not run.is_good:
                result.examples = _examples(successor.path, run.failures)
                raise BuildRefused(result)
            with duckdb.connect(successor.path) as connection:
                connection.execute("update raw.build_context set build_id = ?", [run.invocation_id])
    return result


class BuildRefused(Exception):
    """dbt found something that must not be published; `result` says what. The old warehouse is as it was."""

    def __init__(self, result: BuildResult):
        self.result = result
        super().__init__("dbt refused the build")


def _examples(warehouse: Path, failures: tuple[dbt.NodeResult, ...], most: int = 3) -> dict[str, list[str]]:
    """The first rows each failed test found, as text: they are gone with the file that was not published."""
    found = {}
    with duckdb.connect(warehouse, read_only=True) as connection:
        for node in failures:
            if node.kind == "test" and node.status == "fail":
                rows = connection.execute(f"select * from ({node.sql}) limit {most:d}")
                names = [column[0] for column in rows.description]
                found[node.name] = [
                    ", ".join(f"{name}={value}" for name, value in zip(names, row, strict=True))
                    for row in rows.fetchall()
                ]
    return found


def _recorded_releases(warehouse: Path, registry: Registry) -> list[Release]:
    """The releases `warehouse` was made from: read again where their folders are, else as the file remembers them."""
    if not warehouse.exists():
        raise EvidenceError(
            str(warehouse),
            None,
            "there is no warehouse yet and no release was named",
            "Name the folder of a release: rlvram build FOLDER.",
            blocks=True,
        )
    with duckdb.connect(warehouse, read_only=True) as connection:
        try:
            loads = connection.execute("select release_id, source, digest from raw.loads order by position").fetchall()
            files = connection.execute(
                "select release_id, table_name, source_path, status, digest_check, file_sha256, size_bytes, problem "
                "from raw.files where status <> 'absent'"
            ).fetchall()
            archives = connection.execute(
                "select release_id, source_path, file_sha256, size_bytes, digest_check from raw.archives"
            ).fetchall()
        except duckdb.CatalogException:
            loads = []
    if not loads:
        raise EvidenceError(
            str(warehouse), None, "it holds no release", "Name the folder of one: rlvram build FOLDER.", blocks=True
        )
    releases = []
    for release_id, source, digest in loads:
        if Path(source).is_dir():
            releases.append(survey(Path(source), registry))
            continue
        own = [row[1:] for row in files if row[0] == release_id and row[1] in registry.tables]
        releases.append(
            Release(
                root=Path(source),
                release_id=release_id,
                digest=digest,
                files=tuple(
                    FoundFile(registry.tables[table], path, sha256, size, check)
                    for table, path, status, check, sha256, size, _ in own
                    if status == "loaded"
                ),
                refusals=tuple(
                    Refusal(registry.tables[table], path, problem)
                    for table, path, status, _, _, _, problem in own
                    if status == "refused"
                ),
                archives=tuple(
                    FoundArchive(path, sha256, size, check)
                    for archive_release, path, sha256, size, check in archives
                    if archive_release == release_id
                ),
                promised_but_absent=(),
            )
        )
    return releases


def _distinct(releases: list[Release]) -> list[Release]:
    """Each release once; two different folders must not claim one tag."""
    kept: dict[str, Release] = {}
    for release in releases:
        other = kept.pop(release.release_id, release)
        if other.digest != release.digest:
            raise EvidenceError(
                str(release.root),
                None,
                f"it says it is release {release.release_id}, as {other.root} does, but their files differ",
                "Give one of them another tag in its release.json.",
                blocks=True,
            )
        kept[release.release_id] = release
    return list(kept.values())


def _is_current(warehouse: Path, releases: list[Release], loader: str, code: str | None) -> bool:
    """True when a build would give what `warehouse` already holds. A file that cannot be read is not current."""
    if not warehouse.exists():
        return False
    try:
        with duckdb.connect(warehouse, read_only=True) as connection:
            recorded = connection.execute("select release_id, digest from raw.loads order by position").fetchall()
            context = connection.execute(
                "select loader_fingerprint, code_fingerprint, build_id from raw.build_context"
            ).fetchone()
            if recorded != [(release.release_id, release.digest) for release in releases] or context is None:
                return False
            if code is None:
                return context[0] == loader
            # A plain `dbt build` leaves another build id: its models may not have been these.
            built = connection.execute("select distinct build_id from meta.build").fetchall()
            return context[:2] == (loader, code) and built == [(context[2],)]
    except duckdb.Error:
        return False


def _begin_raw(connection: duckdb.DuckDBPyConnection, loader: str) -> None:
    """Forget raw rows that an older loader or registry wrote: they would be read otherwise today."""
    try:
        context = connection.execute("select loader_fingerprint from raw.build_context").fetchone()
    except duckdb.CatalogException:
        context = None
    if context != (loader,):
        connection.execute("drop schema if exists raw cascade")
