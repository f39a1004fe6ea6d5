"""Compare the load of a raw archive with its floor and with what people do today.

    python benchmarks/evidence_load.py ARCHIVE [--runs 5] [--only floor,ours,extract,pandas]

Every measurement is a process of its own; the ways take turns, so that a busy moment of the machine hits all of them.
Prints a Markdown table: median seconds, ratio to the floor, the same for processor time (which a busy machine disturbs
less), peak memory. `extract` and `pandas` need pandas and disk space.
"""

import argparse
import hashlib
import io
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import duckdb
import zstandard

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from loaders.archives import Archive, Delivery
from loaders.containers.tar_stream import tar_members
from loaders.containers.zstd_frames import BLOCK_BYTES
from loaders.evidence import read_evidence
from loaders.limits import DEFAULTS
from loaders.prefetch import prefetch
from loaders.proofs import file_digest

MIB = 1 << 20
TRACES = {
    "phase_memory": {"timestamp_ns": "BIGINT", "step": "INTEGER", "phase": "VARCHAR"},
    "gpu_memory": {"timestamp_ns": "BIGINT"},
    "gpu_telemetry": {
        "timestamp_ns": "BIGINT", "step": "INTEGER", "phase": "VARCHAR", "gpu_index": "INTEGER",
        "memory_used_mib": "INTEGER", "gpu_utilization_pct": "INTEGER",
    },
}  # fmt: skip


def floor(archive: Path, folder: Path) -> None:
    """Decompression and the SHA-256 of the archive and of every member, on two threads, and nothing else."""

    def blocks():
        with (
            archive.open("rb") as file,
            zstandard.ZstdDecompressor().stream_reader(file, read_size=MIB, read_across_frames=True) as stream,
        ):
            while block := stream.read(BLOCK_BYTES):
                yield block

    with archive.open("rb") as file:
        file_digest(file, lambda size: None)
    for _, content in tar_members(prefetch(blocks(), len, 4 * BLOCK_BYTES), str(archive), DEFAULTS):
        digest = hashlib.sha256()
        for chunk in content(MIB):
            digest.update(chunk)
        digest.hexdigest()


def floor_one_thread(archive: Path, folder: Path) -> None:
    """The same on one thread, with the archive reader's own checks."""
    for _ in Archive(archive).pieces(lambda member: Delivery.NONE):
        pass


def ours(archive: Path, folder: Path) -> None:
    """The whole load into DuckDB, in one transaction. One inserting thread: the readers keep the other core busy."""
    connection = duckdb.connect(str(folder / "ours.duckdb"))
    connection.execute("set threads = 1")
    connection.execute("create schema raw")
    connection.execute("begin")
    made = set()
    for table, batch in read_evidence(archive, "benchmark"):  # noqa: B007 DuckDB reads `batch` by its name
        if table not in made:
            made.add(table)
            connection.execute(f"create table raw.{table} as select * from batch limit 0")
        connection.execute(f"insert into raw.{table} by name select * from batch")
    connection.execute("commit")
    connection.close()


def readers(archive: Path, folder: Path) -> None:
    """All readers without a database."""
    for _ in read_evidence(archive, "benchmark"):
        pass


@contextmanager
def opened(archive: Path) -> Iterator[tarfile.TarFile]:
    """The archive as `tarfile` reads it, forward only."""
    with (
        archive.open("rb") as file,
        zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as stream,
        tarfile.open(fileobj=stream, mode="r|") as tar,
    ):
        yield tar


def extract(archive: Path, folder: Path) -> None:
    """tarfile to disk, then DuckDB's read_csv over the files; those of two and of four devices separately."""
    with opened(archive) as tar:
        tar.extractall(folder / "tree", filter="data")
    connection = duckdb.connect(str(folder / "extract.duckdb"))
    connection.execute("set threads = 2")
    widths: dict[tuple[str, int], list[str]] = {}
    for kind in TRACES:
        for path in sorted((folder / "tree").rglob(f"{kind.replace('_', '-')}-*.csv")):
            with path.open() as file:
                widths.setdefault((kind, len(file.readline().split(","))), []).append(str(path))
    for (kind, width), paths in widths.items():
        columns = TRACES[kind] | {f"gpu{device}": "INTEGER" for device in range(width - len(TRACES[kind]))}
        header = str(kind == "gpu_telemetry").lower()
        form = f"columns={columns}, header={header}, auto_detect=false, filename=true"
        connection.execute(f"create table {kind}_{width} as select * from read_csv(?, {form})", [paths])
    for table, pattern in (("trials", "trial-*.json"), ("logs", "training-*.log")):
        files = f"{folder}/tree/output/*/*/**/{pattern}"
        connection.execute(f"create table {table} as select filename, content from read_text('{files}')")
    connection.close()


def pandas(archive: Path, folder: Path) -> None:
    """tarfile and pandas, everything kept in memory."""
    import pandas as pd

    frames: dict[str, list] = {kind: [] for kind in TRACES}
    records, logs = [], {}
    with opened(archive) as tar:
        for member in tar:
            if not member.isfile():
                continue
            name = Path(member.name).name
            content = tar.extractfile(member).read()
            kind = next((kind for kind in TRACES if name.startswith(kind.replace("_", "-"))), None)
            if kind:
                telemetry = kind == "gpu_telemetry"
                frame = pd.read_csv(io.BytesIO(content), header=0 if telemetry else None)
                frames[kind].append(frame.assign(file=member.name))
            elif name.startswith("trial-"):
                try:
                    records.append(json.loads(content))
                except ValueError:
                    continue
            elif name.startswith("training-"):
                logs[member.name] = content.decode("utf-8", "replace")
    for kind in TRACES:
        frames[kind] = pd.concat(frames[kind])


WAYS = {way.__name__: way for way in (floor, floor_one_thread, ours, readers, extract, pandas)}


class Measured(NamedTuple):
    """One run: wall-clock seconds, processor seconds, peak memory."""

    seconds: float
    cpu_seconds: float
    peak_mib: float


def measure(way: str, archive: Path) -> Measured:
    """One run in a process of its own."""
    told = subprocess.run(
        [sys.executable, __file__, str(archive), "--run", way], check=True, capture_output=True, text=True
    )
    return Measured(**json.loads(told.stdout.splitlines()[-1]))


def run(way: str, archive: Path) -> None:
    if way == "pandas":
        import pandas  # noqa: F401 - imported before the clock starts, like everything else
    folder = Path(tempfile.mkdtemp(prefix="evidence-load-"))
    try:
        started, cpu_started = time.perf_counter(), time.process_time()
        WAYS[way](archive, folder)
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    finally:
        shutil.rmtree(folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "darwin" else 1024)
    print(json.dumps(Measured(seconds, cpu_seconds, peak)._asdict()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="floor,ours,extract,pandas", help=f"some of {', '.join(WAYS)}")
    parser.add_argument("--run", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(options.run, options.archive)
        return
    ways = options.only.split(",")
    measured: dict[str, list[Measured]] = {way: [] for way in ways}
    for _ in range(options.runs):
        for way in ways:
            measured[way].append(measure(way, options.archive))
    middle = {
        way: [statistics.median(column) for column in zip(*results, strict=True)][:2]
        for way, results in measured.items()
    }
    first = middle[ways[0]]
    print(f"| way | seconds (median of {options.runs}) | × {ways[0]} | processor seconds | × {ways[0]} | peak MiB |")
    print("|---|---|---|---|---|---|")
    for way, (seconds, cpu_seconds) in middle.items():
        peak = max(result.peak_mib for result in measured[way])
        ratio, cpu_ratio = seconds / first[0], cpu_seconds / first[1]
        print(f"| {way} | {seconds:.2f} | {ratio:.2f} | {cpu_seconds:.2f} | {cpu_ratio:.2f} | {peak:.0f} |")


if __name__ == "__main__":
    main()
