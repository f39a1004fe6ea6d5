"""A thread ahead of its consumer: order, errors and budget are kept."""

import threading
import time

import pytest

from loaders.prefetch import prefetch


def threads() -> int:
    return sum(thread.name == "evidence-prefetch" for thread in threading.enumerate())


def test_items_come_in_order():
    assert list(prefetch(range(1000), lambda item: 1, 10)) == list(range(1000))


def test_an_error_comes_after_the_items_before_it():
    def items():
        yield from range(100)
        raise ValueError("torn")

    seen = []
    with pytest.raises(ValueError, match="torn"):
        seen.extend(prefetch(items(), lambda item: 1, 1000))
    assert seen == list(range(100))
    assert threads() == 0


def test_closing_early_ends_the_thread_and_the_source():
    closed = []

    def items():
        try:
            while True:
                yield b"x" * 100
        finally:
            closed.append(True)

    stream = prefetch(prefetch(items(), len, 1000), len, 1000)
    next(stream)
    stream.close()
    assert closed == [True]
    assert threads() == 0


def test_no_more_than_the_budget_waits():
    made = []

    def items():
        for number in range(1000):
            made.append(number)
            yield bytes(100)

    stream = prefetch(items(), len, 2000)
    next(stream)
    deadline = time.monotonic() + 0.3
    while time.monotonic() < deadline:
        assert len(made) <= 60
    stream.close()
