"""Units are converted exactly (bad input T14)."""

from fractions import Fraction

import pytest

from loaders.units import mib


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("40960 MiB", 40960),
        ("40GiB", 40960),
        ("1048577 B", Fraction(1048577, 1048576)),
        ("1 GB", Fraction(10**9, 2**20)),
        ("0.5 GiB", 512),
        ("5 M", "unit_unknown"),
        ("5 mib", "unit_unknown"),
        ("40960", None),
        ("nan MiB", None),
        ("-5 MiB", None),
    ],
)
def test_an_amount_with_its_unit(text, value):
    assert mib(text) == value
