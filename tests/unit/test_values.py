"""The loader's spelling check and the strict casts of the models accept the same cells, and read the same value."""

import re
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment

from loaders.registry import PROJECT, read_registry
from loaders.values import spelling_check

CASTS = {"integer": "whole", "mib": "mib", "number": "number", "flag_word": "flag", "flag_01": "flag"}
SPELLINGS = read_registry().absence_spellings


def cast_sql(macro: str) -> str:
    """The SQL that the dbt macro writes for a column `cell`."""
    source = (PROJECT / "macros/casts.sql").read_text() + (PROJECT / "macros/generated/registry.sql").read_text()
    template = Environment(extensions=["jinja2.ext.do"]).from_string(source + "{{ " + macro + "('cell') }}")
    return template.render().strip()


@pytest.fixture(scope="module")
def cast():
    connection = duckdb.connect()
    sql = {
        macro: f"select {cast_sql(macro)} from (select ? as cell, 'f.csv' as source_path, 7 as row_number)"
        for macro in set(CASTS.values())
    }
    return lambda macro, cell: connection.execute(sql[macro], [cell]).fetchone()[0]


CELLS = st.one_of(
    st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{1,8})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(
        [
            "True",
            "False",
            "true",
            "1",
            "0",
            "t",
            "yes",
            "1_000",
            " 35730",
            "35730 ",
            "+1",
            ".5",
            "5.",
            "Infinity",
            "-0",
            "0x1F",
            "１",
        ]
    ),
    st.text(max_size=8),
)


@pytest.mark.parametrize("value_type", ["integer", "mib", "number"])
@given(cell=CELLS)
def test_loader_and_model_accept_the_same_numbers(cast, value_type: str, cell: str):
    if cell in SPELLINGS:
        assert cast(CASTS[value_type], cell) is None
    elif spelling_check(value_type)(cell):
        assert cast(CASTS[value_type], cell) is not None
    else:
        with pytest.raises(duckdb.Error, match="which is not how this column is spelled"):
            cast(CASTS[value_type], cell)


@given(st.integers(-(10**12) + 1, 10**12 - 1), st.integers(0, 10**6 - 1))
def test_a_mib_is_read_to_the_last_digit(cast, whole: int, millionths: int):
    cell = f"{whole}.{millionths:06d}"
    assert cast("mib", cell) == Decimal(cell)


def test_a_large_integer_never_passes_through_a_float(cast):
    # T13
    assert cast("whole", "1790000000100000001") == 1790000000100000001


def test_flags_are_read_in_both_spellings_and_in_no_other(cast):
    assert [cast("flag", cell) for cell in ("True", "1", "False", "0", "")] == [True, True, False, False, None]
    for cell in ("true", "yes", "t", "2"):
        with pytest.raises(duckdb.Error, match=r"at f\.csv:7"):
            cast("flag", cell)


def test_no_staging_model_reads_a_value_another_way():
    """Missing must not become a number, nor unreadable become missing."""
    for path in Path(PROJECT / "models").rglob("*.sql"):
        text = path.read_text()
        assert not re.search(r"try_cast", text, re.IGNORECASE), path
        assert not re.search(r"(coalesce|ifnull)\([^,)]*(_mib|peak)[^,)]*, *0", text, re.IGNORECASE), path
