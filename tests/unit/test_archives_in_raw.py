"""Archives in raw: what lands, what is kept, forgotten, refused, and what a fault leaves behind."""

from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from loaders.errors import EvidenceError
from loaders.registry import read_registry
from loaders.release import survey
from loaders.warehouse import load_releases
from tests.releases import STAGES, STAGES_HEADER, STAGES_ROW, write_release
from tests.synthetic_archive import GROUP, attempt, linked_attempt, write_archive, write_tree

REGISTRY = read_registry()


def load(connection: duckdb.DuckDBPyConnection, *folders: Path) -> None:
    load_releases(connection, [survey(folder, REGISTRY) for folder in folders], REGISTRY, datetime(2026, 1, 1))


def release(folder: Path, members: dict[str, bytes], tag: str = "one") -> Path:
    """A release of one table and one archive below `releases/`."""
    write_release(folder, {"release.json": f'{{"release": "{tag}"}}', STAGES: STAGES_HEADER + STAGES_ROW})
    (folder / "releases").mkdir(exist_ok=True)
    write_archive(folder / "releases", members)
    return folder


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def test_an_archive_lands_beside_the_tables(connection, tmp_path: Path):
    load(connection, release(tmp_path, linked_attempt()))
    assert connection.execute(
        "select experiment_id, job_id, exit_code, parameter_offload from raw.trials"
    ).fetchall() == [("rev-topology-demo-c3-s113-four_gpu", "7000001", "0", "False")]
    points = connection.execute(
        "select timestamp_ns, gpu0_mib, gpu1_mib, gpu2_mib from raw.trace_points order by 1"
    ).fetchall()
    assert [point[1:] for point in points] == [(1204, 1188, None), (30120, 30118, None), (36502, 36480, None)]
    assert points[0][0] == 1_790_000_000_100_000_001  # T13: 64 bits, never through a float
    assert connection.execute("select count(*) from raw.stage_measurements").fetchone() == (1,)
    archive = connection.execute(
        "select source_path, digest_check, member_count, attempt_count from raw.archives"
    ).fetchone()
    assert archive == ("releases/demo.tar.zst", "verified", 8, 1)


def test_of_three_traces_one_is_kept_and_two_are_compared(connection, tmp_path: Path):
    load(connection, release(tmp_path, linked_attempt()))
    files = connection.execute("select trace_kind, is_point_source from raw.trace_files order by 1").fetchall()
    assert files == [("gpu_memory", False), ("gpu_telemetry", False), ("phase_memory", True)]
    assert connection.execute("select count(*), count(distinct file_id) from raw.trace_points").fetchone() == (3, 1)


def test_the_same_archive_again_is_kept_and_one_not_named_is_forgotten(connection, tmp_path: Path):
    # A12: the second archive's points never share a file_id with the first's.
    one = release(tmp_path / "one", linked_attempt())
    two = release(tmp_path / "two", attempt(f"{GROUP}/slot-a", "7000009"), tag="two")
    load(connection, one)
    loaded = connection.execute("select * from raw.trials").fetchall()
    load(connection, one, two)
    assert connection.execute("select * from raw.trials where release_id = 'one'").fetchall() == loaded
    assert connection.execute("select count(distinct file_id), count(*) from raw.trace_points").fetchone() == (2, 6)
    load(connection, two)
    assert connection.execute("select job_id from raw.trials").fetchall() == [("7000009",)]
    assert connection.execute("select count(*) from raw.trace_points").fetchone() == (3,)
    orphans = "select count(*) from raw.trace_points where file_id not in (select file_id from raw.trace_files)"
    assert connection.execute(orphans).fetchone() == (0,)


def test_a_wrong_digest_is_refused_before_a_byte_is_parsed(tmp_path: Path):
    # A1
    folder = release(tmp_path, linked_attempt())
    (folder / "releases/demo.tar.zst.sha256").write_text("0" * 64 + "  demo.tar.zst\n")
    with pytest.raises(EvidenceError, match=r"demo\.tar\.zst.*its SHA-256 is .*, sidecar says 0{64}") as caught:
        survey(folder, REGISTRY)
    assert caught.value.blocks


def test_a_cut_archive_leaves_no_row(connection, tmp_path: Path):
    # A2: cut at the end, and its sidecar made right again
    folder = release(tmp_path, linked_attempt())
    path = folder / "releases/demo.tar.zst"
    path.write_bytes(path.read_bytes()[:-40])
    (folder / "releases/demo.tar.zst.sha256").unlink()
    with pytest.raises(EvidenceError) as caught:
        load(connection, folder)
    assert caught.value.blocks
    for table in ("trials", "members", "trace_points", "archives"):
        assert connection.execute(f"select count(*) from raw.{table}").fetchone() == (0,), table


def test_an_extracted_tree_lands_like_the_archive_it_came_from(connection, tmp_path: Path):
    load(connection, release(tmp_path / "packed", linked_attempt()))
    packed = connection.execute("select * exclude (release_id, archive_sha256) from raw.trials").fetchall()
    folder = write_tree(tmp_path / "tree", linked_attempt())
    write_release(folder, {STAGES: STAGES_HEADER + STAGES_ROW}, sealed=False)
    load(connection, folder)
    assert connection.execute("select * exclude (release_id, archive_sha256) from raw.trials").fetchall() == packed
    assert connection.execute("select source_path, digest_check from raw.archives").fetchone() == (".", "not_covered")


def test_rejected_lines_of_traces_stand_with_those_of_tables(connection, tmp_path: Path):
    # T4
    members = linked_attempt()
    torn = next(path for path in members if "phase-memory" in path)
    load(connection, release(tmp_path, members | {torn: members[torn].rstrip(b"\n")[:-2]}))
    reject = connection.execute("select source_path, row_number, reason from raw.rejects").fetchall()
    assert [(path, line) for path, line, _ in reject] == [(torn, 3)]
    assert connection.execute("select max(gpu0_mib) from raw.trace_points").fetchone() == (30120,)


def test_a_secret_never_reaches_the_warehouse(connection, tmp_path: Path):
    # A10
    members = linked_attempt()
    log = next(path for path in members if path.endswith(".log"))
    token = b"hf_" + b"AbCdEfGhIjKlMnOpQrStUvWxYz01234567"
    load(connection, release(tmp_path, members | {log: b"export HF_TOKEN=" + token + b"\nout of memory\n"}))
    found = connection.execute(
        "select finding, member_path, line_number from raw.findings where finding like 'secret%'"
    ).fetchall()
    assert found == [("secret_removed", log, 1)]
    tables = connection.execute("select table_name from duckdb_tables() where schema_name = 'raw'").fetchall()
    for (table,) in tables:
        texts = connection.execute(f'select cast(t as varchar) from raw."{table}" as t').fetchall()
        assert not any(token.decode() in text for (text,) in texts), table
