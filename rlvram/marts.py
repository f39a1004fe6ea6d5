"""The marts' promises, read from the YAML below `models/marts`: grain, cohort, units, additivity, what absence means.

Shared descriptions stand once, in the doc blocks of `models/marts/*.md`, and are resolved here as dbt resolves them.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

_DOC_BLOCK = re.compile(r"\{%\s*docs\s+(\w+)\s*%\}(.*?)\{%\s*enddocs\s*%\}", re.DOTALL)
_DOC_CALL = re.compile(r"\{\{\s*doc\(['\"](\w+)['\"]\)\s*\}\}")


@dataclass(frozen=True)
class MartColumn:
    """One column: `unit` marks a measure; `meaning` is its description and, for a measure, what absence means."""

    name: str
    data_type: str
    description: str
    unit: str | None
    additivity: str | None
    absence: str | None

    @property
    def meaning(self) -> str:
        return self.description + (f" Missing: {self.absence}" if self.absence else "")


@dataclass(frozen=True)
class Mart:
    """One mart as its YAML promises it; `relation` is `<cohort>.<grain>`."""

    relation: str
    description: str
    cohort: str
    unit_of_observation: str
    grain: tuple[str, ...]
    overlaps: tuple[str, ...]
    columns: tuple[MartColumn, ...]


def read_marts(project: Path) -> list[Mart]:
    """Every evidence mart below `models/marts`, in the order of the files' paths."""
    blocks = {
        name: " ".join(text.split())
        for path in sorted((project / "models").rglob("*.md"))
        for name, text in _DOC_BLOCK.findall(path.read_text(encoding="utf-8"))
    }
    marts = []
    for path in sorted((project / "models" / "marts").rglob("*.yml")):
        for model in yaml.safe_load(path.read_text(encoding="utf-8")).get("models", []):
            meta = model.get("config", {}).get("meta", {})
            if "cohort" not in meta:
                continue  # the meta marts describe the others
            marts.append(
                Mart(
                    relation=model["name"].replace("__", ".", 1),
                    description=_resolved(model["description"], blocks),
                    cohort=meta["cohort"],
                    unit_of_observation=meta["unit_of_observation"],
                    grain=tuple(model["constraints"][0]["columns"]),
                    overlaps=tuple(meta.get("overlaps", ())),
                    columns=tuple(_column(column, blocks) for column in model["columns"]),
                )
            )
    return marts


def _column(column: dict, blocks: dict[str, str]) -> MartColumn:
    meta = column.get("config", {}).get("meta", {})
    return MartColumn(
        name=column["name"],
        data_type=column["data_type"],
        description=_resolved(column["description"], blocks),
        unit=meta.get("unit"),
        additivity=meta.get("additivity"),
        absence=meta.get("absence"),
    )


def _resolved(text: str, blocks: dict[str, str]) -> str:
    return _DOC_CALL.sub(lambda match: blocks[match[1]], text).strip()
