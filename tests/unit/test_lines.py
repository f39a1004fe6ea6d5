"""Lines of a file: what is torn, broken or foreign never becomes a measurement."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.errors import EvidenceError
from loaders.lines import Lines, Reject


def lines_of(data: bytes, is_proved: bool = False, **limits: int) -> tuple[list[str], list[Reject]]:
    lines = Lines(io.BytesIO(data), "a.csv", is_proved, **limits)
    return list(lines), lines.rejects


def test_a_torn_last_line_is_rejected_whole():
    # T4: a cut number is another number.
    taken, rejects = lines_of(b"1,35730\n2,357")
    assert taken == ["1,35730\n"]
    assert rejects == [Reject(line=2, byte_offset=8, reason="torn_last_line", text="2,357")]


def test_a_last_line_without_end_is_taken_when_the_digest_is_proved():
    assert lines_of(b"1,35730\n2,357", is_proved=True) == (["1,35730\n", "2,357"], [])


def test_a_block_of_nul_bytes_costs_its_line_alone():
    # T5: the byte offset is of the first NUL.
    taken, rejects = lines_of(b"a\nb\0\0\0\nc\n")
    assert taken == ["a\n", "c\n"]
    assert rejects == [Reject(line=2, byte_offset=3, reason="nul_bytes", text="b\\x00\\x00\\x00\n")]


def test_bytes_that_are_not_utf8_are_named_with_line_and_offset():
    with pytest.raises(EvidenceError, match=r"a\.csv:2: byte 3 is 0xe9, which is not UTF-8"):
        lines_of(b"a\nb\xe9\n")


def test_a_byte_order_mark_is_named():
    with pytest.raises(EvidenceError, match=r"a\.csv:1: the file begins with a byte-order mark"):
        lines_of(b"\xef\xbb\xbfa,b\n")


def test_a_line_over_the_limit_is_refused_without_reading_it_whole():
    stream = io.BytesIO(b"x" * 10_000)
    with pytest.raises(EvidenceError, match="longer than 100 bytes"):
        list(Lines(stream, "a.csv", True, max_line_bytes=100))
    assert stream.tell() <= 101


@given(st.binary(max_size=300).filter(lambda data: not data.startswith(b"\xef\xbb\xbf")))
def test_every_byte_is_taken_rejected_or_named(data: bytes):
    try:
        taken, rejects = lines_of(data)
    except EvidenceError as named:
        message = str(named)
    else:
        message = ""
    if message:
        assert "not UTF-8" in message
        return
    assert len(taken) + len(rejects) == data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    assert all("\0" not in line and line.endswith("\n") for line in taken)
