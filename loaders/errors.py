"""The one exception of the loaders: evidence that cannot be taken as it is.

A message answers five questions in this order: where, what was found, what was expected, what to do, and what
state the reader is left in (docs/decisions/errors-say-five-things.md).
"""


class EvidenceError(Exception):
    """Evidence at `place` (file or archive member, and `line` where there is one) breaks its declared form.

    `remedy` says what to do; `state` what the warehouse is left with. `blocks` is true for faults of digest, safety
    or vocabulary: those leave the old warehouse as it was, every other fault refuses one table and the rest is built.
    """

    def __init__(
        self, place: str, line: int | None, problem: str, remedy: str = "", state: str = "", blocks: bool = False
    ):
        self.place, self.line, self.problem = place, line, problem
        self.remedy, self.state, self.blocks = remedy, state, blocks
        super().__init__(str(self))

    def __str__(self) -> str:
        where = self.place if self.line is None else f"{self.place}:{self.line}"
        return " ".join(part for part in (f"{where}: {self.problem}.", self.remedy, self.state) if part)
