"""JSON keeps its numbers as they were written, and nothing hostile passes."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.records.json_text import RecordError, at, json_lines, read_json, read_object, text_of, to_json

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda node: st.lists(node, max_size=4) | st.dictionaries(st.text(max_size=5), node, max_size=4),
    max_leaves=20,
)  # fmt: skip


@pytest.mark.parametrize(
    "number", ["0.10", "1e400", "36502.000000", "123456789012345678901234567890", "-0", "NaN", "Infinity", "9" * 5000]
)
def test_a_number_keeps_its_text(number):
    assert text_of(read_object(f'{{"a": {number}}}'.encode())["a"]) == number
    assert to_json(read_json(f'{{"a": [{number}]}}'.encode())) == f'{{"a": [{number}]}}'


@pytest.mark.parametrize(
    ("value", "text"), [("True", "True"), (True, "true"), (None, None), ("", ""), ("None", "None"), (["a"], '["a"]')]
)
def test_a_value_keeps_its_spelling(value, text):
    assert text_of(read_object(json.dumps({"a": value}).encode())["a"]) == text


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "not JSON"),
        (b'{"a": 1', "not JSON"),
        (b'{"a": 1} x', "not JSON"),
        (b"[1]", "a JSON list, expected an object"),
        (b'{"a": 1, "b": 2, "a": 3}', "'a' stands in it twice"),
        (b'{"a": "\xff"}', "not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8"),
        (b"[" * 100_000, "nested"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, "nested more than 200 deep"),
    ],
)
def test_what_is_no_record_is_told(data, told):
    with pytest.raises(RecordError, match=told):
        read_object(data)


def test_a_byte_order_mark_is_tolerated():
    assert read_object(b'\xef\xbb\xbf{"a": "x"}') == {"a": "x"}


@given(PLAIN)
def test_what_is_written_is_what_was_read(value):
    assert json.loads(to_json(read_json(json.dumps(value).encode()))) == value


@given(st.binary(max_size=200))
@settings(max_examples=300)
def test_any_bytes_are_read_or_told(data):
    try:
        to_json(read_json(data))
    except RecordError:
        return


def test_lines_are_numbered_and_blank_ones_skipped():
    assert list(json_lines(b'{"a":1}\n\n{"b":2}')) == [(1, b'{"a":1}'), (3, b'{"b":2}')]


def test_a_missing_place_is_none():
    assert at({"a": {"b": 1}}, "a", "b") == 1
    assert at({"a": 5}, "a", "b") is None
