"""Read the small CSV tables that steer the studies: frozen matrices, exclusions, failure annotations.

Source:  members named in loaders.slots (release format 2.1, 3.5): UTF-8 CSV with a header.
Yields:  (line number, row as a JSON object of texts).
Units:   as written.
Missing: a blank cell stays "".
Errors:  RecordError on a repeated header name, another field count, or bytes that are not UTF-8.
"""

import csv
import io
from collections.abc import Iterator

from loaders.records.json_text import RecordError, to_json


def read_control_table(data: bytes) -> Iterator[tuple[int, str]]:
    """The table's rows, each as JSON with the header's names."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8 ({error.reason} at byte {error.start})") from None
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(rows, [])
        if repeated := sorted({name for name in header if header.count(name) > 1}):
            raise RecordError(f"the header names {repeated} more than once")
        for row in rows:
            if len(row) != len(header):
                raise RecordError(f"line {rows.line_num}: {len(row)} fields, the header has {len(header)}")
            yield rows.line_num, to_json(dict(zip(header, row, strict=True)))
    except csv.Error as error:
        raise RecordError(f"line {rows.line_num}: {error}") from None
