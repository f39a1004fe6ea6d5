"""Where a path that was recorded on the cluster lies inside the release (release format 1.3).

The recorded text is kept as origin; what this module returns is a member path, relative to the artifact root.
"""

RECORDED_ROOT = "/mnt/proj3/open-35-44/verl/rl"
ANCHORS = ("output", "profiles", "data")
ESTIMATION_ANCHORS = (*ANCHORS, "benchmark", "memory_tuner")


def remap(recorded: str, anchors: tuple[str, ...] = ANCHORS, roots: tuple[str, ...] = (RECORDED_ROOT,)) -> str:
    """The member path of `recorded`.

    An absolute path below one of `roots` becomes relative to it; any other is cut at its first component among
    `anchors`; a
    relative one stays. Raises ValueError for a `..` component, and for an absolute path that nothing anchors.
    """
    parts = [part for part in recorded.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ValueError(f"the recorded path {recorded!r} climbs with '..'")
    if not recorded.startswith("/"):
        return "/".join(parts)
    for root in roots:
        above = [part for part in root.split("/") if part]
        if parts[: len(above)] == above:
            return "/".join(parts[len(above) :])
    for position, part in enumerate(parts):
        if part in anchors:
            return "/".join(parts[position:])
    raise ValueError(f"the recorded path {recorded!r} has none of {', '.join(anchors)} in it")
