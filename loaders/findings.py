"""What a load says about evidence besides the rows: findings, rejected lines, and spellings of a missing value."""

from typing import NamedTuple


class Finding(NamedTuple):
    """Something a reader of the warehouse should know; it blocks nothing. `finding` is a word of a small vocabulary."""

    finding: str
    member_path: str
    line_number: int | None
    detail: str


class Reject(NamedTuple):
    """A line or record that could not be read. `raw_text` is what stood there, cut to a limit and without secrets."""

    member_path: str
    line_number: int | None
    byte_offset: int | None
    reason: str
    raw_text: str


class Absence(NamedTuple):
    """How a missing value was spelled in one column of one member, how often, and where first."""

    member_path: str
    column_name: str
    spelling: str
    absence: str
    value_count: int
    first_line_number: int
