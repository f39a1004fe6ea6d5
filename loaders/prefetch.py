"""Run an iterator in a thread of its own, ahead of its consumer by no more than a budget of bytes."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
HANDOVER_ITEMS = 64


def prefetch(items: Iterable[Item], weigh: Callable[[Item], int], budget: int) -> Iterator[Item]:
    """Yield `items` in order while a thread prepares the next ones, holding at most about `budget` as `weigh` counts.

    An exception of `items` is raised here, after the items before it. Closing the generator stops the thread, closes
    `items`
    and waits for both.
    """
    lane = _Lane(budget)
    thread = threading.Thread(target=_fill, args=(lane, items, weigh), name="evidence-prefetch", daemon=True)
    thread.start()
    try:
        while (batch := lane.take()) is not None:
            yield from batch
        if lane.error is not None:
            raise lane.error
    finally:
        lane.stop()
        thread.join()


class _Lane:
    """Batches of items on their way from one thread to another."""

    def __init__(self, budget: int):
        self.budget, self.error = budget, None
        self._condition = threading.Condition()
        self._batches: deque[tuple[list, int]] = deque()
        self._held, self._ended, self._stopped = 0, False, False

    def put(self, batch: list, weight: int) -> bool:
        """Hand a batch over; False once nobody takes any more."""
        with self._condition:
            self._condition.wait_for(lambda: self._stopped or not self._batches or self._held + weight <= self.budget)
            self._batches.append((batch, weight))
            self._held += weight
            self._condition.notify_all()
            return not self._stopped

    def end(self, error: BaseException | None) -> None:
        with self._condition:
            self._ended, self.error = True, error
            self._condition.notify_all()

    def take(self) -> list | None:
        """The next batch, None after the last."""
        with self._condition:
            self._condition.wait_for(lambda: self._batches or self._ended)
            if not self._batches:
                return None
            batch, weight = self._batches.popleft()
            self._held -= weight
            self._condition.notify_all()
            return batch

    def stop(self) -> None:
        with self._condition:
            self._stopped = True
            self._condition.notify_all()


def _fill(lane: _Lane, items: Iterable[Item], weigh: Callable[[Item], int]) -> None:
    error, batch, weight = None, [], 0
    iterator = iter(items)
    try:
        for item in iterator:
            batch.append(item)
            weight += weigh(item)
            # Small items travel together: each handover costs two switches of the interpreter's lock.
            if len(batch) >= HANDOVER_ITEMS or weight >= lane.budget // 8:
                if not lane.put(batch, weight):
                    return
                batch, weight = [], 0
    except BaseException as raised:
        error = raised
    finally:
        if batch:
            lane.put(batch, weight)
        if hasattr(iterator, "close"):
            iterator.close()
        lane.end(error)
