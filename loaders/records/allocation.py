"""Read the records of one allocation: what ran in it, on which devices, in which order.

Source:  release format 2.6. `pair-<job>.json` of the linked panels; `pair-<index>.json` and
         `period<n>-baseline-<index>.csv`
         of the same-node panel; `pair.json`, `ledger.jsonl`, `allocation-trace.jsonl`, `period-<n>.json` and
         `pair-summary.json` of the estimation panels.
Yields:  dicts with the columns of COLUMNS, all text but `line_number` and `item_number`; `record` is the whole record
         as JSON.
         `record_kind` says what one row is: `pair`, `pair_period` and `pair_device` (one for each period and device
         inside a
         `pair`), `same_node_pair`, `idle_baseline`, `estimation_pair`, `ledger_event`, `allocation_sample`, `period`,
         `pair_summary`.
Units:   as written: seconds, nanoseconds, MiB.
Missing: null and a missing key are None. A pair without periods started no process; it is still one row.
Errors:  RecordError; in JSON-lines records it names the line, and the lines before it have been yielded.
"""

from collections.abc import Callable, Iterator

from loaders.records.json_text import RecordError, json_lines, read_object, text_of, to_json

COLUMNS = (
    "record_kind", "line_number", "item_number", "pair_id", "job_id", "experiment_id", "period", "condition", "status",
    "event",
    "sequence", "timestamp_ns", "hostname", "source_head", "uuid", "wrapper_exit_code", "elapsed_seconds", "record",
)  # fmt: skip
Row = dict[str, str | int | None]


def read_pair(data: bytes) -> Iterator[Row]:
    """A pair manifest of the linked panels, then its periods, then its devices."""
    record = read_object(data)
    shared = {"pair_id": text_of(record.get("pair_id")), "job_id": text_of(record.get("job_id"))}
    yield _row("pair", record, shared, status="pair_status", hostname="hostname", source_head="source_head")
    for number, period in enumerate(_list(record, "periods"), 1):
        if not isinstance(period, dict):
            raise RecordError(f"period {number} is not an object")
        yield _row(
            "pair_period", period, shared, item=number, experiment_id="experiment_id", period="period",
            condition="condition",
            wrapper_exit_code="wrapper_exit_code", elapsed_seconds="elapsed_seconds",
        )  # fmt: skip
    for number, device in enumerate(_list(record, "gpus"), 1):
        row = _row("pair_device", device, shared, item=number)
        if isinstance(device, list) and len(device) > 1:
            row["uuid"] = text_of(device[1])
        yield row


def read_same_node_pair(data: bytes) -> Iterator[Row]:
    """The pair record of the same-node panel."""
    yield _row("same_node_pair", read_object(data), {}, pair_id="pair_id", job_id="job_id", status="pair_status")


def read_idle_baseline(data: bytes) -> Iterator[Row]:
    """The idle memory before a period of the same-node panel: one line for each device, as found."""
    for number, line in enumerate(data.decode("utf-8", "backslashreplace").splitlines(), 1):
        yield _row("idle_baseline", line.split(","), {}, line=number)


def read_estimation_pair(data: bytes) -> Iterator[Row]:
    """`pair.json` of the estimation panels."""
    yield _row(
        "estimation_pair", read_object(data), {}, pair_id="pair_id", job_id="job_id", source_head="source_commit"
    )


def read_ledger(data: bytes) -> Iterator[Row]:
    """`ledger.jsonl`: one row for each event."""
    for number, record in _objects(data):
        yield _row(
            "ledger_event", record, {}, line=number, event="event", sequence="sequence", timestamp_ns="timestamp_ns",
            period="period",
            experiment_id="experiment_id", pair_id="pair_id", job_id="job_id", status="status",
        )  # fmt: skip


def read_allocation_trace(data: bytes) -> Iterator[Row]:
    """`allocation-trace.jsonl`: one row a sample of the whole allocation, which has more devices than the task."""
    for number, record in _objects(data):
        yield _row(
            "allocation_sample", record, {}, line=number, event="phase", sequence="sequence",
            timestamp_ns="timestamp_ns", period="period",
        )  # fmt: skip


def read_period(data: bytes) -> Iterator[Row]:
    """`period-<n>.json` of the estimation panels."""
    yield _row(
        "period", read_object(data), {}, pair_id="pair_id", job_id="job_id", experiment_id="experiment_id",
        period="period",
        condition="condition", status="status", wrapper_exit_code="wrapper_exit_code",
        elapsed_seconds="invocation_elapsed_seconds",
    )  # fmt: skip


def read_pair_summary(data: bytes) -> Iterator[Row]:
    """`pair-summary.json` of the estimation panels."""
    yield _row("pair_summary", read_object(data), {}, pair_id="pair_id", job_id="job_id")


READERS: dict[str, Callable[[bytes], Iterator[Row]]] = {
    "pair": read_pair,
    "same_node_pair": read_same_node_pair,
    "idle_baseline": read_idle_baseline,
    "estimation_pair": read_estimation_pair,
    "ledger": read_ledger,
    "allocation_trace": read_allocation_trace,
    "period": read_period,
    "pair_summary": read_pair_summary,
}


def _objects(data: bytes) -> Iterator[tuple[int, dict[str, object]]]:
    for number, line in json_lines(data):
        try:
            yield number, read_object(line)
        except RecordError as error:
            raise RecordError(f"line {number}: {error}") from None


def _list(record: dict[str, object], key: str) -> list[object]:
    value = record.get(key) or []
    if not isinstance(value, list):
        raise RecordError(f"`{key}` is not a list")
    return value


def _row(
    kind: str,
    record: object,
    shared: dict[str, str | None],
    line: int | None = None,
    item: int | None = None,
    **columns: str,
) -> Row:
    row: Row = dict.fromkeys(COLUMNS)
    row |= {"record_kind": kind, "line_number": line, "item_number": item, "record": to_json(record)} | shared
    for column, key in columns.items():
        row[column] = text_of(record.get(key))
    return row
