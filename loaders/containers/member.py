"""One member of a container, whichever container it is."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

FILE, DIRECTORY, SYMLINK, HARDLINK = "file", "directory", "symlink", "hardlink"


@dataclass(slots=True)
class Member:
    """`path` is normalised; `offset` is that of its tar header (None in a tree); `link_target` is a normalised path.

    `sha256` is known once the content has been read, and stays None for folders and links.
    """

    path: str
    kind: str
    size: int
    offset: int | None = None
    link_target: str | None = None
    sha256: str | None = None


# Reads the content in pieces of at most the given size. It must be used before the next member is asked for.
Content = Callable[[int], Iterator[bytes | memoryview]]
