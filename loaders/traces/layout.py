"""What the columns of a trace hold, and the rows read from them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

TIMESTAMP, STEP, STAGE, DEVICE, MEMORY, IGNORED = "timestamp", "step", "stage", "device", "memory", "ignored"
NO_MEMORY = -1  # a memory reading is never negative
NO_STEP = -(2**31)
MAX_DEVICES = 8
INT32_MAX, INT64_MAX = 2**31 - 1, 2**63 - 1


@dataclass(frozen=True)
class Layout:
    """What each column of a trace holds, by position, and what it is called in messages."""

    names: tuple[str, ...]
    roles: tuple[str, ...]

    @property
    def device_columns(self) -> int:
        return self.roles.count(MEMORY)


@dataclass
class Columns:
    """Rows of a trace. `memory` has one column for each device column of the file; NO_MEMORY stands for no reading."""

    timestamp: np.ndarray
    step: np.ndarray | None
    stage: np.ndarray | None
    device: np.ndarray | None
    memory: np.ndarray


# Gives the small number of a stage word, None for a cell that is no stage word.
StageCode = Callable[[bytes], int | None]
