"""Read scheduler accounting, and durations as Slurm writes them.

Source:  `allocation_accounting_sacct.psv` (no header, 11 fields separated by `|`) and `allocation_accounting.json`
         (release format
         2.8). Jobs, their batch steps and their extern steps are rows of their own: spans of one job are never summed.
Yields:  dicts with the columns of COLUMNS, all text but `line_number` and `elapsed_s`.
Units:   timestamps as written, UTC, whole seconds; `elapsed_s` is whole seconds, computed from the text beside it.
Missing: a blank field stays ""; `UNLIMITED` and blank are no duration.
Errors:  RecordError for one line or for the JSON document.

`OUT_OF_MEMORY` as a scheduler state means host memory; it says nothing about a device (bad input S2).
"""

import re

from loaders.records.json_text import RecordError, read_json, text_of, to_json

FIELDS = (
    "job_id", "job_id_raw", "job_name", "state", "exit_code", "started_at", "ended_at", "elapsed", "alloc_tres",
    "node_list", "reason",
)  # fmt: skip
COLUMNS = ("record_kind", "line_number", *FIELDS, "elapsed_s", "record")
STEP_KINDS = {"batch": "sacct_batch", "extern": "sacct_extern"}
_ELAPSED = re.compile(
    r"(?:(?P<days>[0-9]+)-)?(?:(?P<hours>[0-9]+):)?(?P<minutes>[0-9]+):(?P<seconds>[0-9]{2})(?:\.[0-9]+)?"
)


def elapsed_seconds(text: str) -> int | None:
    """Whole seconds of `05:12`, `27:14:09`, `1-03:14:09` or plain seconds; None for blank, `UNLIMITED` and the like.

    Raises ValueError for any other text.
    """
    bare = text.strip()
    if bare.upper() in ("", "UNLIMITED", "NONE", "N/A", "INVALID", "PARTITION_LIMIT"):
        return None
    if bare.isascii() and bare.isdigit():
        return int(bare)
    match = _ELAPSED.fullmatch(bare)
    if match is None:
        raise ValueError(f"{text!r} is no duration")
    days, hours, minutes, seconds = (int(part or 0) for part in match.group("days", "hours", "minutes", "seconds"))
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def read_sacct_line(line: str) -> dict[str, str | int | None]:
    """The columns of one accounting line."""
    fields = line.rstrip("\r\n").split("|")
    if len(fields) != len(FIELDS):
        raise RecordError(f"{len(fields)} fields, expected {len(FIELDS)}")
    row: dict[str, str | int | None] = dict(zip(FIELDS, fields, strict=True))
    _, _, step = fields[1].partition(".")
    row["record_kind"] = STEP_KINDS.get(step, "sacct_step") if step else "sacct_job"
    try:
        row["elapsed_s"] = elapsed_seconds(fields[7])
    except ValueError as error:
        raise RecordError(str(error)) from None
    row["record"] = None
    return row


def read_accounting(data: bytes) -> list[dict[str, str | int | None]]:
    """One row for each job of an accounting document; its own words are in `record`."""
    jobs = read_json(data)
    if not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs):
        raise RecordError("not a list of objects")
    places = {
        "job_id": "scheduler_job_id", "job_id_raw": "job_id", "state": "scheduler_state",
        "exit_code": "scheduler_exit_code",
        "started_at": "started_at_epoch", "ended_at": "ended_at_epoch", "node_list": "scheduler_node_list",
    }  # fmt: skip
    return [
        dict.fromkeys(COLUMNS)
        | {column: text_of(job.get(key)) for column, key in places.items()}
        | {"record_kind": "accounting_job", "record": to_json(job)}
        for job in jobs
    ]
