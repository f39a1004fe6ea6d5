"""The stage words of traces as small numbers.

The words of release format 2.3 have fixed codes, in that order. Any other word is kept too: it gets the next free code
of this archive, which `raw.stage_codes` lists.
"""

KNOWN = (
    "initializing", "rollout", "reference_logprob", "actor_update", "weight_sync", "validation", "checkpoint", "idle",
    "unknown",
)  # fmt: skip


class StageCodes:
    """Codes of the stage words met so far; raises ValueError when a trace brings more words than `limit`."""

    def __init__(self, limit: int):
        self._codes = {word: code for code, word in enumerate(KNOWN)}
        self._limit = limit

    def code(self, word: str) -> int:
        code = self._codes.get(word)
        if code is None:
            if len(self._codes) >= self._limit:
                raise ValueError(
                    f"stage {word!r} is word {len(self._codes) + 1} of this archive, the limit is {self._limit}"
                )
            code = self._codes[word] = len(self._codes)
        return code

    def word(self, code: int) -> str:
        return list(self._codes)[code]

    def items(self) -> list[tuple[str, int]]:
        return list(self._codes.items())
