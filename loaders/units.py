"""Memory sizes with their unit in the cell, converted to MiB exactly.

1 MiB = 1,048,576 bytes. `MB` and `GB` are powers of ten, `MiB` and `GiB` powers of two; a bare `M` or `G` could be
either, so its unit counts as unknown.
"""

import re
from fractions import Fraction

BYTES = {
    "B": 1,
    "bytes": 1,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?) *([A-Za-z]+)")

# Spellings of "no reading" in monitors' files, and what each is called (bad input T6).
MISSING = {
    "": "blank",
    "nan": "nan_token",
    "NaN": "nan_token",
    "None": "none_token",
    "null": "null_token",
    "NULL": "null_token",
    "N/A": "sensor_not_available",
    "[N/A]": "sensor_not_available",
    "[Not Supported]": "sensor_not_available",
    "[Unknown Error]": "sensor_not_available",
    "ERR!": "sensor_not_available",
}


def mib(text: str) -> Fraction | str | None:
    """`text` in MiB when it is an amount with a known unit, `"unit_unknown"` for another unit, else None."""
    match = AMOUNT.fullmatch(text.strip(" "))
    if match is None:
        return None
    amount, unit = match.groups()
    if unit not in BYTES:
        return "unit_unknown"
    return Fraction(amount) * BYTES[unit] / 2**20
