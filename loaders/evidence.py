"""Read one archive of raw evidence into batches for the raw tables.

Source:  a `.tar.zst`, a plain `.tar` or an extracted tree, through loaders.archives.
Yields:  (table name, Arrow batch) with the columns of loaders.raw_tables, ready for `insert into raw.<table> by name`.
Units:   as found; only traces are typed: int64 nanoseconds and int32 MiB.
Missing: as each reader says. A record that cannot be read is a row of `rejects`, never an absence.
Errors:  EvidenceError (blocking) of the archive as a whole. It may come after batches: they hold only once the
         iterator has
         ended, so insert within one transaction.

One thread decompresses, walks and digests; a second reads the traces; the caller's reads the small records between its
inserts. Members of uncounted groups are listed and digested only. Secrets are taken out of a member's bytes before any
reader
sees them, and once more of every text that leaves.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from loaders.archives import Archive, Piece, Progress
from loaders.attempt_traces import AttemptTraces, OpenTrace
from loaders.batches import Batch, PointBatches, RowBatches
from loaders.findings import Finding
from loaders.limits import DEFAULTS, Limits
from loaders.logs.secrets import redact_all
from loaders.logs.training_log import may_show_failures, without_control_sequences
from loaders.member_manifest import MANIFEST_PATH
from loaders.member_plan import STREAMED, MemberPlan
from loaders.member_records import Rows, read_member
from loaders.prefetch import prefetch
from loaders.slots import Placement

RECORDS_TOGETHER = 2 << 20
PIECES_BYTES = 16 << 20
ITEMS_BYTES = 24 << 20
ITEM_BYTES = 1000  # of an item that carries nothing large
# Recorded paths that name one file of the release.
FILE_KEYS = ("run_log", "phase_memory_csv", "gpu_telemetry_csv", "environment_json", "response_length_trace")


class Record(NamedTuple):
    """A small member that waits to be read."""

    path: str
    placement: Placement
    data: bytes


# On the way from the trace reader to the caller: a batch, a row of another table, or records that wait to be read.
Item = Batch | tuple[str, dict[str, object]] | list[Record]


def read_evidence(
    source: str | Path,
    release_id: str,
    limits: Limits = DEFAULTS,
    progress: Progress | None = None,
    *,
    expected_sha256: str | None = None,
    must_be_proved: bool = True,
    first_file_id: int = 1,
) -> Iterator[Batch]:
    """Yield the batches of one archive.

    `progress(done, total)` is called from another thread with bytes of the source as stored. Trace files are numbered
    from
    `first_file_id`, so that several archives share `trace_points`. `expected_sha256` and `must_be_proved` as in
    Archive.
    """
    archive = Archive(source, limits, expected_sha256, progress, must_be_proved)
    plan, traces = MemberPlan(limits), AttemptTraces(limits, first_file_id)
    pieces = prefetch(archive.pieces(plan.want), _piece_bytes, PIECES_BYTES)
    items = prefetch(_read_traces(pieces, plan, traces), _item_bytes, ITEMS_BYTES)
    rows, recorded = RowBatches({"release_id": release_id}), []
    with closing(items):
        for item in items:
            rows.source["archive_sha256"] = archive.sha256
            if isinstance(item, list):
                for table, row in _read_records(item, limits):
                    rows.add(table, row)
                    if table == "trials":
                        recorded += [(row["member_path"], key, row.get(f"{key}_member")) for key in FILE_KEYS]
            elif isinstance(item[1], dict):
                rows.add(*item)
            else:
                yield item
            yield from rows.full()
    rows.source["archive_sha256"] = archive.sha256
    for table, row in _closing(archive, plan, traces, recorded):
        rows.add(table, row)
        yield from rows.full()
    yield from rows.rest()


def _read_traces(pieces: Iterable[Piece], plan: MemberPlan, traces: AttemptTraces) -> Iterator[Item]:
    """Read the traces; hand records on in groups, for they are screened for secrets together."""
    points, records, waiting = PointBatches(), [], 0
    opened: OpenTrace | None = None
    for member, data, is_last in pieces:
        if data is None or member.path == MANIFEST_PATH:
            continue
        placement = plan.placement(member.path)
        if placement.kind not in STREAMED:
            records.append(Record(member.path, placement, bytes(data)))
            waiting += len(data)
            if waiting > RECORDS_TOGETHER:
                yield records
                records, waiting = [], 0
            continue
        opened = opened or traces.open(member, placement)
        for part in traces.feed(opened, data, is_last):
            points.add(opened.file_id, part)
        if is_last:
            opened = None
        yield from _told(traces)
        yield from points.full()
    traces.finish()
    yield from _told(traces)
    yield records
    yield from points.rest()


def _told(traces: AttemptTraces) -> Rows:
    for reject in traces.take_rejects():
        yield "rejects", reject._asdict()
    for absence in traces.take_absences():
        yield "absences", absence._asdict()


def _read_records(records: list[Record], limits: Limits) -> Rows:
    """Read records once their secrets are out."""
    texts = [
        without_control_sequences(record.data) if record.placement.kind == "training_log" else record.data
        for record in records
    ]
    redacted = redact_all(texts)
    failing = may_show_failures([data for data, _ in redacted])
    for record, (data, secrets), may_fail in zip(records, redacted, failing, strict=True):
        for secret in secrets:
            detail = f"{secret.kind}: it was removed before anything was loaded"
            yield "findings", Finding("secret_removed", record.path, secret.line, detail)._asdict()
        yield from read_member(data, record.path, record.placement, limits, may_fail)


def _closing(
    archive: Archive, plan: MemberPlan, traces: AttemptTraces, recorded: list[tuple[str, str, str | None]]
) -> Rows:
    """What can be said only when the whole archive has been read."""
    for path, key, named in recorded:
        if named and named not in archive.members:
            yield "findings", Finding("recorded_file_absent", path, None, f"{key} names {named!r}")._asdict()
    for finding in (*plan.findings(archive.members), *archive.findings, *traces.findings):
        yield "findings", finding._asdict()
    for row in traces.rows():
        yield "trace_files", row
    for word, code in traces.stages.items():
        yield "stage_codes", {"stage_code": code, "stage": word}
    for row in plan.rows(archive.members, archive.entries or {}):
        yield "members", row


def _piece_bytes(piece: Piece) -> int:
    return ITEM_BYTES + (0 if piece.data is None else len(piece.data))


def _item_bytes(item: Item) -> int:
    if isinstance(item, list):
        return ITEM_BYTES + sum(len(record.data) for record in item)
    return ITEM_BYTES if isinstance(item[1], dict) else item[1].nbytes
