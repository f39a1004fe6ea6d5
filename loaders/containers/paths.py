"""The path and link rules of release format 1.2, on text alone: no file system is asked.

Nothing is ever extracted, yet every rule holds: an archive that breaks one was not made by an honest packer, and
people extract the same archive elsewhere.
"""

REMEDY = "Do not extract this archive anywhere; ask its publisher for a clean one."


class UnsafePath(ValueError):
    """A member name or link text breaks a rule; the message says which."""


def member_path(raw: bytes) -> str:
    """The member's path with `.` and empty components dropped; `""` for the root itself.

    Raises UnsafePath for an absolute name, a `..` component, or a name that is not UTF-8.
    """
    try:
        name = raw.decode()
    except UnicodeDecodeError as error:
        raise UnsafePath(f"the name {raw!r} is not UTF-8") from error
    if name.startswith("/"):
        raise UnsafePath(f"the name {name!r} is absolute")
    parts = name.split("/")
    if ".." in parts:
        raise UnsafePath(f"the name {name!r} climbs with '..'")
    return "/".join(part for part in parts if part not in ("", "."))


def link_target(path: str, raw: bytes, symbolic: bool) -> str:
    """The path a link leads to: from the link's own folder when symbolic, from the root when hard.

    Raises UnsafePath when the text is absolute or empty or leads out of the root.
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise UnsafePath(f"the link text {raw!r} of {path!r} is not UTF-8") from error
    if not text:
        raise UnsafePath(f"the link {path!r} leads nowhere")
    if text.startswith("/"):
        raise UnsafePath(f"the link {path!r} leads to the absolute path {text!r}")
    parts = path.split("/")[:-1] if symbolic else []
    for part in text.split("/"):
        if part == "..":
            if not parts:
                raise UnsafePath(f"the link {path!r} leads outside, to {text!r}")
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
