"""Decoded lines of a text file, with the faults of single lines set aside.

Yields:  lines with their line ends, in order; `number` is the physical line last read.
Missing: nothing is filled in. A line with NUL bytes, and a torn last line, goes to `rejects` and is not yielded.
Errors:  EvidenceError for bytes that are not UTF-8, a byte-order mark, or a line over the limit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from loaders.errors import EvidenceError

MAX_LINE_BYTES = 64 << 20
_SHOWN_CHARACTERS = 200


@dataclass(frozen=True)
class Reject:
    """One line that could not be taken: where it stands and what it says (at most 200 characters of it)."""

    line: int
    byte_offset: int
    reason: str
    text: str


class Lines:
    """Iterate the lines of `stream`; errors name `place`.

    `is_proved` says that the file's digest is the promised one: such a file is whole, so a last line without a line
    end is taken; in any other file it may have been cut in the middle of a number, and is rejected.
    """

    def __init__(self, stream: BinaryIO, place: str, is_proved: bool, max_line_bytes: int = MAX_LINE_BYTES):
        self._stream, self._place, self._is_proved, self._max = stream, place, is_proved, max_line_bytes
        self.number = 0
        self.rejects: list[Reject] = []

    def __iter__(self) -> Iterator[str]:
        offset = 0
        while raw := self._stream.readline(self._max + 1):
            self.number += 1
            start, offset = offset, offset + len(raw)
            if len(raw) > self._max:
                raise EvidenceError(
                    self._place,
                    self.number,
                    f"the line is longer than {self._max} bytes, the limit",
                    "A table of this release has no such line: see whether the file is what it should be.",
                )
            if self.number == 1 and raw.startswith(b"\xef\xbb\xbf"):
                raise EvidenceError(
                    self._place,
                    1,
                    "the file begins with a byte-order mark, expected plain UTF-8",
                    "Save it without one (a spreadsheet adds it).",
                )
            if b"\0" in raw:
                self._reject(start + raw.index(b"\0"), "nul_bytes", raw)
                continue
            if not raw.endswith(b"\n") and not self._is_proved:
                self._reject(start, "torn_last_line", raw)
                continue
            try:
                yield raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise EvidenceError(
                    self._place,
                    self.number,
                    f"byte {start + error.start} is 0x{raw[error.start]:02x}, which is not UTF-8",
                    "Get the file again, or re-encode it as UTF-8.",
                ) from error

    def _reject(self, byte_offset: int, reason: str, raw: bytes) -> None:
        text = raw[: 4 * _SHOWN_CHARACTERS].decode("utf-8", "backslashreplace").replace("\0", "\\x00")
        self.rejects.append(Reject(self.number, byte_offset, reason, text[:_SHOWN_CHARACTERS]))
