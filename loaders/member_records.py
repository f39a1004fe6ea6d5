"""Read one small member into rows of the raw tables, by what it is.

Source:  the bytes of a member, free of secrets and control sequences, and its Placement.
Yields:  (table, row). A member or line that cannot be read is a row of `rejects`; what came before it stays.
Units, missing: as the readers in loaders.records and loaders.logs say.
Errors:  none.
"""

from collections.abc import Callable, Iterator

from loaders.findings import Finding, Reject
from loaders.limits import Limits
from loaders.logs.training_log import read_training_log
from loaders.paths import remap
from loaders.records import allocation
from loaders.records.allocator_trace import read_allocator_line
from loaders.records.control_table import read_control_table
from loaders.records.device_map import read_device_map
from loaders.records.environment import read_devices, read_environment
from loaders.records.json_text import RecordError, json_lines
from loaders.records.response_lengths import read_response_lengths_line
from loaders.records.scheduler import read_accounting, read_sacct_line
from loaders.records.trial import PATH_KEYS, read_trial
from loaders.slots import Placement

Rows = Iterator[tuple[str, dict[str, object]]]


def read_member(data: bytes, path: str, placement: Placement, limits: Limits, may_show_failure: bool = True) -> Rows:
    """The rows of one member. `may_show_failure` is for logs, as in read_training_log."""
    try:
        if placement.kind == "training_log":
            yield from _read_log(data, path, placement, limits, may_show_failure)
        else:
            yield from READERS.get(placement.kind, _read_allocation)(data, path, placement, limits)
    except RecordError as error:
        yield "rejects", Reject(path, None, 0, str(error), _shown(data, limits))._asdict()


def _shown(data: bytes, limits: Limits) -> str:
    return data[: limits.text_bytes].decode("utf-8", "backslashreplace").replace("\0", "\\x00")


def _identity(path: str, placement: Placement) -> dict[str, object]:
    return {
        "member_path": path,
        "run_group": placement.run_group,
        "study": placement.study,
        "experiment_id": placement.experiment_id,
        "job_id": placement.job_id,
    }


def _read_trial(data: bytes, path: str, placement: Placement, limits: Limits) -> Rows:
    row: dict[str, object] = read_trial(data)
    recorded_job = row["recorded_job_id"] = row.pop("job_id")
    if recorded_job not in (None, placement.job_id):
        detail = f"it records job {recorded_job!r}, its path says {placement.job_id!r}"
        yield "findings", Finding("job_id_differs", path, None, detail)._asdict()
    for key in PATH_KEYS:
        if recorded := row[key]:
            try:
                row[f"{key}_member"] = remap(recorded)
            except ValueError as error:
                yield "findings", Finding("path_not_remapped", path, None, f"{key}: {error}")._asdict()
    yield "trials", row | _identity(path, placement)


def _read_log(data: bytes, path: str, placement: Placement, limits: Limits, may_show_failure: bool) -> Rows:
    identity, steps = _identity(path, placement), set()
    for event in read_training_log(data, limits.text_bytes, may_show_failure):
        if event.event == "step" and event.step in steps:
            detail = f"step {event.step} stands in the log before"
            yield "findings", Finding("repeated_step", path, event.line_number, detail)._asdict()
        if event.event == "step":
            steps.add(event.step)
        yield "log_events", identity | event._asdict()


def _read_environment(data: bytes, path: str, placement: Placement, limits: Limits) -> Rows:
    row, identity = read_environment(data), _identity(path, placement)
    yield "environments", identity | row
    for device in read_devices(row["gpus_csv"]):
        yield "devices", identity | device | {"source": "environment"}


def _read_device_map(data: bytes, path: str, placement: Placement, limits: Limits) -> Rows:
    for device in read_device_map(data):
        yield "devices", _identity(path, placement) | device | {"source": "device_map"}


def _read_allocation(data: bytes, path: str, placement: Placement, limits: Limits) -> Rows:
    shared = {"member_path": path, "run_group": placement.run_group, "study": placement.study}
    for row in allocation.READERS[placement.kind](data):
        yield (
            "allocations",
            row
            | shared
            | {"job_id": row["job_id"] or placement.job_id, "pair_id": row["pair_id"] or placement.pair_id},
        )


def _read_accounting(data: bytes, path: str, placement: Placement, limits: Limits) -> Rows:
    for row in read_accounting(data):
        yield "scheduler_records", row | {"member_path": path}


def _read_control_table(data: bytes, path: str, placement: Placement, limits: Limits) -> Rows:
    for line, cells in read_control_table(data):
        yield (
            "control_rows",
            {"member_path": path, "control_table": placement.kind, "line_number": line, "cells": cells},
        )


def _line_reader(
    table: str, read: Callable[[bytes], dict[str, object]]
) -> Callable[[bytes, str, Placement, Limits], Rows]:
    """A reader of a member with one record a line: a line that cannot be read is rejected, the others load."""

    def rows(data: bytes, path: str, placement: Placement, limits: Limits) -> Rows:
        identity = _identity(path, placement)
        for number, line in json_lines(data):
            try:
                yield table, identity | read(line) | {"line_number": number}
            except RecordError as error:
                yield "rejects", Reject(path, number, None, str(error), _shown(line, limits))._asdict()

    return rows


READERS: dict[str, Callable[[bytes, str, Placement, Limits], Rows]] = {
    "trial": _read_trial,
    "environment": _read_environment,
    "device_map": _read_device_map,
    "accounting": _read_accounting,
    "sacct": _line_reader("scheduler_records", lambda line: read_sacct_line(line.decode("utf-8", "backslashreplace"))),
    "allocator_trace": _line_reader("allocator_records", read_allocator_line),
    "response_lengths": _line_reader("response_lengths", read_response_lengths_line),
    **dict.fromkeys(("matrix", "attempt_exclusions", "failure_annotations"), _read_control_table),
}
