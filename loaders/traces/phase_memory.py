"""Read one attempt's phase-memory trace, the source of points.

Source:  `phase-memory-<job>.csv` members (release format 2.3): no header as a rule, one with the word `phase`
         tolerated.
Yields:  Points: timestamp, step, stage code, and the memory of 1 to 8 devices; in file order, repeats dropped.
Units:   Unix nanoseconds (64 bit); MiB in use on each device.
Missing: a blank or a word such as `[N/A]` is no reading; its spelling is counted in `absences`.
Errors:  RefusedTrace when header and rows do not fit; single lines that cannot be read are rejected.
"""

from loaders.traces.columns import RefusedTrace, check_devices, check_header, is_header, widest_sound
from loaders.traces.layout import MEMORY, STAGE, STEP, TIMESTAMP, Layout
from loaders.traces.trace_file import TraceFile

HEADER = ["timestamp_ns", "step", "phase"]


class PhaseMemory(TraceFile):
    kind = "phase_memory"

    def choose(self, first: list[str], second: list[str] | None) -> tuple[Layout, bool]:
        has_header = is_header(first)
        if has_header:
            check_header(first, second)
            if first[:3] != HEADER:
                raise RefusedTrace(f"the header is {first}, expected {HEADER} and one column for each device")
            names = tuple(first)
        else:
            width = widest_sound(first, second, 4)
            names = (*HEADER, *(f"gpu{index}_mib" for index in range(width - 3)))
        check_devices(len(names) - 3, names[3:])
        return Layout(names, (TIMESTAMP, STEP, STAGE, *[MEMORY] * (len(names) - 3))), has_header
