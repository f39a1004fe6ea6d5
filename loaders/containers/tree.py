"""Read an extracted tree as if it were an archive: same members, same order each time, same rules.

Links are read as links and never followed; a folder behind a link is not entered.
"""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from loaders.containers.member import DIRECTORY, FILE, SYMLINK, Content, Member
from loaders.containers.paths import REMEDY, UnsafePath, link_target, member_path
from loaders.errors import EvidenceError
from loaders.limits import Limits

STATE = "Nothing of this tree was loaded."


def tree_members(root: Path, limits: Limits) -> list[Member]:
    """Every member below `root`, sorted by path.

    Raises EvidenceError (blocking) for devices, FIFOs, sockets, links that lead outside and names that are not UTF-8.
    """
    members: list[Member] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        with os.scandir(os.fsencode(root / folder)) as entries:
            for entry in entries:
                member = _member(root, os.fsencode(folder), entry)
                members.append(member)
                if member.kind == DIRECTORY:
                    folders.append(member.path)
                if len(members) > limits.members:
                    raise _fault(
                        root, f"more than {limits.members} members", "Raise the limit members if that is right."
                    )
    members.sort(key=lambda member: member.path)
    return members


def open_tree(root: Path, members: list[Member], progress: Callable[[int], None]) -> Iterator[tuple[Member, Content]]:
    """Yield `members` with readers of their content. `progress` is told how many bytes each read took."""
    for member in members:

        def content(piece: int, member: Member = member) -> Iterator[bytes]:
            # A link put in the file's place meanwhile is not followed.
            descriptor = os.open(root / member.path, os.O_RDONLY | os.O_NOFOLLOW)
            left = member.size
            with os.fdopen(descriptor, "rb") as file:
                while chunk := file.read(min(piece, left + 1)):
                    left -= len(chunk)
                    if left < 0:
                        break
                    progress(len(chunk))
                    yield chunk
            if left:
                raise _fault(
                    root, f"{member.path!r} changed while it was read", "Load the tree when nothing writes to it."
                )

        yield member, content


def _member(root: Path, folder: bytes, entry: os.DirEntry) -> Member:
    raw = folder + b"/" + entry.name if folder else entry.name
    try:
        path = member_path(raw)
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            return Member(path, SYMLINK, 0, None, link_target(path, os.readlink(entry.path), symbolic=True))
    except UnsafePath as error:
        raise _fault(root, str(error), REMEDY) from None
    if stat.S_ISDIR(status.st_mode):
        return Member(path, DIRECTORY, 0)
    if not stat.S_ISREG(status.st_mode):
        raise _fault(root, f"{path!r} is neither a file nor a folder nor a link", REMEDY)
    return Member(path, FILE, status.st_size)


def _fault(root: Path, problem: str, remedy: str) -> EvidenceError:
    return EvidenceError(str(root), None, problem, remedy, STATE, blocks=True)
