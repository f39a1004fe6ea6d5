"""Read JSON without interpreting it: numbers keep their text, nothing is rounded, and a key may stand once only.

Source:  bytes of a JSON member or of one line of a JSON-lines member; UTF-8, a byte-order mark is tolerated.
Yields:  dicts and lists; strings are `str`, numbers and `NaN` are `Number`, with their text.
Missing: null is None; a key that is not there is not there.
Errors:  RecordError for anything that is not one JSON value, for repeated keys and for nesting beyond DEPTH.
"""

import json
from collections.abc import Iterator

DEPTH = 200


class RecordError(ValueError):
    """The record cannot be read; the message says why."""


class Number(str):
    """A JSON number, as its text."""


def read_json(data: bytes) -> object:
    """The value in `data`."""
    try:
        text = bytes(data).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8 ({error.reason} at byte {error.start})") from None
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise RecordError(f"nested more than {DEPTH} deep") from None
    except ValueError as error:
        raise RecordError(f"not JSON ({error})") from None
    if text.count("[") + text.count("{") > DEPTH:
        _check_depth(value)
    return value


def read_object(data: bytes) -> dict[str, object]:
    """The JSON object in `data`."""
    value = read_json(data)
    if not isinstance(value, dict):
        raise RecordError(f"a JSON {type(value).__name__}, expected an object")
    return value


def json_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of a JSON-lines member that are not empty, numbered from 1."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield number, line


def text_of(value: object) -> str | None:
    """A value as a raw cell holds it: strings and numbers as their text, null absent, everything else as JSON."""
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    return to_json(value)


def to_json(value: object) -> str:
    """`value` as JSON, with every number as it was written."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(key)}: {to_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(to_json, value)) + "]"
    return _quoted(value)


def at(record: object, *keys: str) -> object:
    """The value below nested keys, None where any of them is missing."""
    for key in keys:
        record = record.get(key) if isinstance(record, dict) else None
    return record


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RecordError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands in it twice")
    return record


def _check_depth(value: object) -> None:
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEPTH:
            raise RecordError(f"nested more than {DEPTH} deep")
        level = [
            item
            for node in level
            if isinstance(node, (dict, list))
            for item in (node.values() if isinstance(node, dict) else node)
            if isinstance(item, (dict, list))
        ]


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=Number, parse_int=Number, parse_constant=Number)
