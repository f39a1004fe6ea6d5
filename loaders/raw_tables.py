"""The raw tables that evidence fills: names, columns, types. Everything is text but what a trace or a position is.

Every table begins with `release_id` and `archive_sha256`, except `trace_points`, whose `file_id` leads to both through
`trace_files`. `job_id` and `experiment_id` always come from the member's path.
"""

import pyarrow as pa

from loaders.records import allocation, allocator_trace, environment, scheduler, trial

TEXT, WHOLE, SMALL, TRUTH = pa.string(), pa.int64(), pa.int32(), pa.bool_()
MAX_DEVICES = 8


def _texts(*names: str) -> dict[str, pa.DataType]:
    return dict.fromkeys(names, TEXT)


_SOURCE = _texts("release_id", "archive_sha256")
_ATTEMPT = _SOURCE | _texts("member_path", "run_group", "study", "experiment_id", "job_id")

TABLES: dict[str, dict[str, pa.DataType]] = {
    # One row a member. read_as: what its content was read as, or why it was not (`listed`, `uncounted`, `pickle`,
    # `too_large`,
    # `repeated`, `link`, `folder`).
    "members": _SOURCE
    | _texts("member_path", "member_type")
    | {"byte_offset": WHOLE, "link_target": TEXT, "size_bytes": WHOLE}
    | _texts(
        "sha256",
        "category",
        "kind",
        "read_as",
        "group_status",
        "run_group",
        "study",
        "level",
        "experiment_id",
        "job_id",
        "pair_id",
    ),
    # One row an attempt with a trial record. <key>_member: the recorded path inside the release.
    "trials": _ATTEMPT
    | _texts(*("recorded_job_id" if key == "job_id" else key for key in trial.COLUMNS))
    | _texts(*(f"{key}_member" for key in trial.PATH_KEYS)),
    # One row a thing a training log says; see loaders.logs.training_log.EVENTS.
    "log_events": _ATTEMPT | {"line_number": WHOLE} | _texts("event", "step", "name", "value", "text"),
    # One row an environment record.
    "environments": _ATTEMPT | _texts(*environment.COLUMNS),
    # One row a device an environment or a device map names. source: `device_map` or `environment`.
    "devices": _ATTEMPT
    | _texts(
        "source",
        "gpu_index",
        "memory_csv_column",
        "uuid",
        "device_name",
        "driver_version",
        "capacity",
        "scope",
        "invocation_id",
    ),
    # One row a record, period, device, event or sample of an allocation; see loaders.records.allocation.
    "allocations": _SOURCE
    | _texts("member_path", "run_group", "study")
    | {name: WHOLE if name in ("line_number", "item_number") else TEXT for name in allocation.COLUMNS},
    # One row a span in scheduler accounting.
    "scheduler_records": _SOURCE
    | _texts("member_path")
    | {name: WHOLE if name in ("line_number", "elapsed_s") else TEXT for name in scheduler.COLUMNS},
    # One row a line of an allocator trace.
    "allocator_records": _ATTEMPT | {"line_number": WHOLE} | _texts(*allocator_trace.COLUMNS),
    # One row a line of a response-length trace.
    "response_lengths": _ATTEMPT | {"line_number": WHOLE} | _texts("record"),
    # One row a row of a matrix, of the exclusions or of the failure annotations; cells: JSON, text by header name.
    "control_rows": _SOURCE | _texts("member_path", "control_table") | {"line_number": WHOLE, "cells": TEXT},
    # One row a trace file. Only files with is_point_source have rows in trace_points.
    "trace_files": _SOURCE
    | {"file_id": SMALL}
    | _texts("member_path", "sha256", "run_group", "study", "experiment_id", "job_id", "trace_kind", "status")
    | {
        "is_point_source": TRUTH,
        "device_count": SMALL,
        "line_count": WHOLE,
        "point_count": WHOLE,
        "rejected_count": WHOLE,
    }
    | {
        "duplicate_count": WHOLE,
        "conflicting_duplicate_count": WHOLE,
        "first_timestamp_ns": WHOLE,
        "last_timestamp_ns": WHOLE,
    }
    | {
        "longest_gap_ns": WHOLE,
        "goes_back_in_time": TRUTH,
        "max_memory_mib": SMALL,
        "terminal_step": SMALL,
        "terminal_stage": TEXT,
    }
    | {f"agrees_with_{kind}": TRUTH for kind in ("phase_memory", "gpu_memory", "gpu_telemetry")},
    # One row a timestamp of a phase-memory trace; memory in MiB, one column a device.
    "trace_points": {"file_id": SMALL, "timestamp_ns": WHOLE, "step": SMALL, "stage_code": pa.uint8()}
    | {f"gpu{index}_mib": SMALL for index in range(MAX_DEVICES)},
    # The stage words behind stage_code.
    "stage_codes": _SOURCE | {"stage_code": pa.uint8(), "stage": TEXT},
    # One row a member, column and spelling of a missing value in a trace.
    "absences": _SOURCE
    | _texts("member_path", "column_name", "spelling", "absence")
    | {"value_count": WHOLE, "first_line_number": WHOLE},
    "findings": _SOURCE | _texts("finding", "member_path") | {"line_number": WHOLE, "detail": TEXT},
    "rejects": _SOURCE
    | _texts("member_path")
    | {"line_number": WHOLE, "byte_offset": WHOLE}
    | _texts("reason", "raw_text"),
}


def schema(table: str) -> pa.Schema:
    """The Arrow schema of a raw table."""
    return pa.schema(list(TABLES[table].items()))
