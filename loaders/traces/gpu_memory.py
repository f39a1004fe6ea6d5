"""Read one attempt's gpu-memory trace. It repeats the memory of phase-memory: held against it, never loaded twice.

Source:  `gpu-memory-<job>.csv` members (release format 2.3): no header as a rule, one is tolerated.
Yields:  Points without step and stage: timestamp and the memory of 1 to 8 devices; in file order, repeats dropped.
Units:   Unix nanoseconds (64 bit); MiB in use on each device.
Missing: a blank or a word such as `[N/A]` is no reading; its spelling is counted in `absences`.
Errors:  RefusedTrace when header and rows do not fit; single lines that cannot be read are rejected.
"""

from loaders.traces.columns import RefusedTrace, check_devices, check_header, is_header, widest_sound
from loaders.traces.layout import MEMORY, TIMESTAMP, Layout
from loaders.traces.trace_file import TraceFile


class GpuMemory(TraceFile):
    kind = "gpu_memory"

    def choose(self, first: list[str], second: list[str] | None) -> tuple[Layout, bool]:
        has_header = is_header(first)
        if has_header:
            check_header(first, second)
            if first[0] != "timestamp_ns":
                raise RefusedTrace(f"the header is {first}, expected timestamp_ns and one column for each device")
            names = tuple(first)
        else:
            names = ("timestamp_ns", *(f"gpu{index}_mib" for index in range(widest_sound(first, second, 2) - 1)))
        check_devices(len(names) - 1, names[1:])
        return Layout(names, (TIMESTAMP, *[MEMORY] * (len(names) - 1))), has_header
