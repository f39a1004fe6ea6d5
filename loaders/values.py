"""How a cell may be spelled, by declared value type. The loader checks spelling; only staging converts.

The same spellings are accepted by the strict casts in `macros/casts.sql`; a test holds the two together. DuckDB's own
casts would also take `1_000`, `1e3`, ` 35730`, `t` and `yes`, and read them as something.
"""

import json
import re
from collections.abc import Callable

_PATTERNS = {
    # At most 18 digits, or 19 below nine quintillions: every nanosecond timestamp, and nothing a BIGINT cannot hold.
    "integer": re.compile(r"-?([0-9]{1,18}|[1-8][0-9]{18})"),
    "mib": re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,6})?"),
    "number": re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?"),
    "flag_word": re.compile(r"True|False"),
    "flag_01": re.compile(r"[01]"),
}

EXPECTED = {
    "integer": "a whole number",
    "mib": "a decimal number of MiB with at most six places, without a unit",
    "number": "a decimal number",
    "flag_word": "True or False",
    "flag_01": "0 or 1",
    "json": "a JSON text",
    "text": "a text that is not blank",
}


def spelling_check(value_type: str) -> Callable[[str], bool]:
    """A function that says whether a cell that is not missing is spelled as `value_type` demands."""
    if value_type == "text":
        return lambda cell: True
    if value_type == "json":
        return _is_json
    pattern = _PATTERNS[value_type]
    return lambda cell: pattern.fullmatch(cell) is not None


def _is_json(cell: str) -> bool:
    try:
        json.loads(cell)
    except (ValueError, RecursionError):
        return False
    return True
