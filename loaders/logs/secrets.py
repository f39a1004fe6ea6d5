"""Take secrets out of evidence before anything leaves the loader (bad input A10).

Source:  the bytes of a member, or the text of a cell that is about to leave.
Yields:  the same with every secret replaced by MARK, and where they stood.
Missing: an assignment of nothing (`HF_TOKEN=`, `None`, `***`) is no secret.
Errors:  none; a doubtful word is removed rather than kept.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

MARK = "[secret removed]"

# What is replaced is the group `secret`. No pattern looks back or repeats without a bound before its literal part, so
# the time
# is linear whatever the text; names are not anchored at their start, because in JSON text `\nHF_TOKEN` has no word
# boundary.
_VALUE = r"""[\\"']{0,3}(?:=>|=|: ?| = | : )[\\"']{0,3}(?P<secret>[^\s"',;\\}\])&]+)"""
_VARIABLE = r"_(?:TOKEN|KEY_ID|KEY|SECRET|PASSWORD|PASSWD|CREDENTIALS)"
_NAME = r"(?i:hf_token|api_?key|auth_?token|access_?token|aws_secret_access_key|aws_session_token|password|passwd)"
_PATTERNS = {
    "hugging face token": r"(?P<secret>hf_[A-Za-z]*[0-9A-Z][A-Za-z0-9]{6,})",
    "bearer token": r"(?i:bearer)\s{1,3}(?P<secret>[A-Za-z0-9._~+/=\-]{8,})",
    "AWS key id": r"(?P<secret>A(?:KIA|SIA|GPA|IDA|ROA|IPA|NPA|NVA)[A-Z0-9]{16})",
    "API key": r"(?P<secret>(?:gh[pousr]_|github_pat_|sk-)[A-Za-z0-9_\-]{20,})",
    "private key": r"(?P<secret>-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}KEY-----)?)",
    "password in a URL": r"""://[^\s/:@"']{1,80}:(?P<secret>[^\s/@"']{1,200})@""",
    "environment variable": _VARIABLE + _VALUE,
    "named secret": _NAME + _VALUE,
}
_COMPILED = {kind: re.compile(pattern.encode()) for kind, pattern in _PATTERNS.items()}
# RE2 looks through a whole member for these in one pass, half a gigabyte a second, before `re` is asked: wherever a
# pattern
# above matches, its screen does.
_SCREENS = {
    "hugging face token": r"hf_[A-Za-z]*[0-9A-Z][A-Za-z0-9]{6}",
    "bearer token": r"(?i:bearer)\s",
    "AWS key id": r"A(?:KIA|SIA|GPA|IDA|ROA|IPA|NPA|NVA)[A-Z0-9]{16}",
    "API key": r"(?:gh[pousr]_|github_pat_|sk-)[A-Za-z0-9_\-]{20}",
    "private key": r"PRIVATE KEY-----",
    "password in a URL": r"://[^/:@\s]*:[^/@\s]*@",
    "environment variable": _VARIABLE + r"""[\\"' =:]""",
    "named secret": _NAME + r"""[\\"' =:]""",
}
_SCREEN = "|".join(_SCREENS.values())
_NOTHING = re.compile(rb"(?i)(?:none|null|true|false|unset|not_set|\*+|<[^>]*>?|\$\{?\w*|\[secret)(?![\w-])")


class Secret(NamedTuple):
    """What was removed, never the secret itself."""

    line: int
    kind: str


def redact(data: bytes) -> tuple[bytes, list[Secret]]:
    """`data` without secrets, and the kind and line of each one removed."""
    return redact_all([data])[0]


def redact_all(members: list[bytes]) -> list[tuple[bytes, list[Secret]]]:
    """`redact` of many members: screened together, for each use of a screen costs as much as a small member."""
    column = pa.array(members, pa.large_binary())
    suspicious = pc.match_substring_regex(column, _SCREEN).to_pylist()
    return [_redact(data) if suspect else (data, []) for data, suspect in zip(members, suspicious, strict=True)]


def _redact(data: bytes) -> tuple[bytes, list[Secret]]:
    column = pa.array([data], pa.large_binary())
    kinds = [kind for kind, screen in _SCREENS.items() if _suspicious(column, screen)]
    spans = sorted(_spans(data, kinds))
    if not spans:
        return data, []
    kept, secrets, at, line, counted = [], [], 0, 1, 0
    for start, end, kind in spans:
        if start < at:
            # Two patterns name the same place: one removal, up to the farther end.
            at = max(at, end)
            continue
        line += data.count(b"\n", counted, start)
        counted = start
        secrets.append(Secret(line, kind))
        kept += (data[at:start], MARK.encode())
        at = end
    kept.append(data[at:])
    return b"".join(kept), secrets


def redact_columns(columns: dict[str, pa.Array]) -> Iterator[tuple[str, pa.Array, list[int]]]:
    """The last gate: of the text columns of a batch those that held a secret, as name, clean column and rows.

    It catches what stood escaped or split in a member's bytes and became a secret when it was decoded.
    """
    if not columns or not _suspicious(pa.chunked_array(list(columns.values())), _SCREEN):
        return
    for name, column in columns.items():
        texts, rows = column.to_pylist(), []
        for row in pc.indices_nonzero(pc.match_substring_regex(column, _SCREEN)).to_pylist():
            clean, secrets = _redact(texts[row].encode())
            if secrets:
                texts[row] = clean.decode()
                rows.append(row)
        if rows:
            yield name, pa.array(texts, column.type), rows


def _suspicious(column: pa.Array | pa.ChunkedArray, screen: str) -> bool:
    return pc.any(pc.match_substring_regex(column, screen)).as_py() is True


def _spans(data: bytes, kinds: list[str]) -> Iterator[tuple[int, int, str]]:
    for kind in kinds:
        for match in _COMPILED[kind].finditer(data):
            start, end = match.span("secret")
            if not _NOTHING.match(data, start, end):
                yield start, end, kind
