"""Read one allocator trace: what PyTorch's allocator held, a different quantity from device memory.

Source:  `allocator-traces/allocator-<pid>.jsonl` members (release format 2.7).
Yields:  one dict for each line: the columns of COLUMNS, all text but `line_number`; `unknown_keys` is JSON.
Units:   as written: Unix nanoseconds, MiB of the allocator.
Missing: null and a missing key are None; an empty `error_type` is no error and stays "".
Errors:  RecordError for one line; reading can go on with the next.
"""

from loaders.records.json_text import read_object, text_of, to_json

KEYS = (
    "phase", "started_ns", "finished_ns", "pid", "rank", "device", "allocated_mib", "reserved_mib", "max_allocated_mib",
    "max_reserved_mib", "error_type",
)  # fmt: skip
COLUMNS = (*KEYS, "unknown_keys")


def read_allocator_line(line: bytes) -> dict[str, str | None]:
    """The columns of one line."""
    record = read_object(line)
    unknown = {key: value for key, value in record.items() if key not in KEYS}
    return {key: text_of(record.get(key)) for key in KEYS} | {"unknown_keys": to_json(unknown) if unknown else None}
