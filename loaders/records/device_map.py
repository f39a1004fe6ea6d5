"""Read one device map: which trace column is which physical device.

Source:  `gpu-device-map.json` members (release format 2.7), the only record that ties a column to a UUID.
Yields:  one dict for each column: `gpu_index`, `memory_csv_column`, `uuid`, `scope`, `invocation_id`; all text.
Units:   positions count from 0 (`gpu_index`) and from 1 (`memory_csv_column`, behind the timestamp).
Missing: a missing key is None.
Errors:  RecordError when the columns are not a list of objects.
"""

from collections.abc import Iterator

from loaders.records.json_text import RecordError, read_object, text_of


def read_device_map(data: bytes) -> Iterator[dict[str, str | None]]:
    """One row for each mapped column."""
    record = read_object(data)
    columns = record.get("columns")
    if not isinstance(columns, list) or not all(isinstance(column, dict) for column in columns):
        raise RecordError("`columns` is not a list of objects")
    for column in columns:
        row = {name: text_of(column.get(name)) for name in ("gpu_index", "memory_csv_column", "uuid")}
        yield row | {name: text_of(record.get(name)) for name in ("scope", "invocation_id")}
