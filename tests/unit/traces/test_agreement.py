"""Two files of one attempt agree, or the first difference is told."""

import numpy as np
import pytest

from loaders.traces.agreement import Readings


def readings(times: list[int], memory: list[list[int]], parts: int = 1) -> Readings:
    made = Readings()
    for times_part, memory_part in zip(
        np.array_split(np.array(times, np.int64), parts), np.array_split(np.array(memory, np.int32), parts), strict=True
    ):
        made.add(times_part, memory_part)
    return made


@pytest.mark.parametrize("reduced", [False, True])
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_equal_readings_agree_however_they_came(parts, reduced):
    one, two = readings([1, 2, 3], [[5, 6], [7, 8], [9, 9]], parts), readings([1, 2, 3], [[5, 6], [7, 8], [9, 9]])
    if reduced:
        one.reduce()
    assert one.difference(two) is None


@pytest.mark.parametrize(
    ("times", "memory", "told"),
    [
        ([1, 2], [[5, 6], [7, 9]], "1 points differ, first point 2 at 2: device 1 has 8 MiB against 9 MiB"),
        ([1, 3], [[5, 6], [7, 8]], "point 2 is at 2 against 3"),
        ([1], [[5, 6]], "2 points against 1; the first 1 are equal"),
        ([1, 2], [[5], [7]], "2 points differ, first point 1 at 1: device 1 has 6 MiB against no reading"),
    ],
)
def test_the_first_difference_is_told(times, memory, told):
    assert readings([1, 2], [[5, 6], [7, 8]]).difference(readings(times, memory)) == told


def test_reduced_readings_still_differ():
    one, two = readings([1, 2], [[5, 6], [7, 8]]), readings([1, 2], [[5, 6], [7, 9]])
    one.reduce()
    assert one.bytes == 0
    assert one.difference(two) == "the readings differ (too large to say where)"
    assert readings([1], [[5]]).difference(one) == "1 points against 2"
