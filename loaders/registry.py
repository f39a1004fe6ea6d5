"""The registry: what a person decided about a release, read from `seeds/*.csv` as typed records.

dbt loads the same files as seeds, so a fact stands once. Errors: EvidenceError naming file and line.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

from loaders.errors import EvidenceError

PROJECT = Path(__file__).resolve().parent.parent
SEEDS = PROJECT / "seeds"

VALUE_TYPES = frozenset({"text", "integer", "mib", "number", "flag_word", "flag_01", "json"})
PROVENANCE = ("source_path", "row_number", "file_sha256", "release_id", "loaded_at")

# Vocabularies that are registries of their own: (file, column of the words).
_OWN_FILE = {
    "stage": ("stages", "stage"),
    "failure_kind": ("failure_kinds", "failure_kind"),
    "study": ("studies", "study"),
}


@dataclass(frozen=True)
class Column:
    """One declared column: how its cells are spelled (`value_type`), whether it and its cells may be missing."""

    name: str
    is_required: bool
    value_type: str
    is_nullable: bool
    vocabulary: str | None


@dataclass(frozen=True)
class Table:
    """One table a release may hold: a dataset view of the card, or another registered file.

    `paths` are relative to the release folder, the first is the usual one. `columns` is empty while nobody has seen the
    header; such a table lands header-driven. `format` is csv, psv (headerless, pipe-separated) or json (a document).
    """

    name: str
    is_view: bool
    paths: tuple[str, ...]
    format: str
    cohort: str | None
    mart: str | None
    grain_key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def is_document(self) -> bool:
        return self.format == "json"


@dataclass(frozen=True)
class Registry:
    """Every registered table and closed vocabulary by name; `known_editions` are (table, SHA-256) seen published."""

    tables: dict[str, Table]
    vocabularies: dict[str, frozenset[str]]
    absence_spellings: dict[str, str]
    known_editions: frozenset[tuple[str, str]]


def read_seed(name: str, seeds: Path = SEEDS) -> list[dict[str, str]]:
    """Rows of `seeds/<name>.csv` as dictionaries of text."""
    path = seeds / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, strict=True)
        found = []
        for row in rows:
            if None in row or None in row.values():
                raise EvidenceError(f"seeds/{path.name}", rows.line_num, "the row has another width than the header")
            found.append(row)
    return found


def read_registry(seeds: Path = SEEDS) -> Registry:
    """Read and cross-check the registry; a contradiction in it is an EvidenceError."""
    vocabularies: dict[str, set[str]] = {
        name: {row[column] for row in read_seed(file, seeds)} for name, (file, column) in _OWN_FILE.items()
    }
    for row in read_seed("collector_statuses", seeds):
        vocabularies.setdefault(row["vocabulary"], set()).add(row["status"])
    for row in read_seed("vocabularies", seeds):
        vocabularies.setdefault(row["vocabulary"], set()).add(row["word"])

    columns: dict[str, list[Column]] = {}
    for line, row in enumerate(read_seed("table_columns", seeds), start=2):
        if row["value_type"] not in VALUE_TYPES:
            raise EvidenceError("seeds/table_columns.csv", line, f"unknown value_type {row['value_type']!r}")
        if row["vocabulary"] and row["vocabulary"] not in vocabularies:
            raise EvidenceError("seeds/table_columns.csv", line, f"unknown vocabulary {row['vocabulary']!r}")
        columns.setdefault(row["table_name"], []).append(
            Column(
                name=row["column_name"],
                is_required=row["is_required"] == "1",
                value_type=row["value_type"],
                is_nullable=row["is_nullable"] == "1",
                vocabulary=row["vocabulary"] or None,
            )
        )

    cohorts = {row["cohort"] for row in read_seed("cohorts", seeds)}
    tables: dict[str, Table] = {}
    for file, name_column, is_view in (("release_views", "view_name", True), ("release_tables", "table_name", False)):
        for line, row in enumerate(read_seed(file, seeds), start=2):
            name = row[name_column]
            if name in tables:
                raise EvidenceError(f"seeds/{file}.csv", line, f"{name} is registered twice")
            if row["cohort"] and row["cohort"] not in cohorts:
                raise EvidenceError(f"seeds/{file}.csv", line, f"{name} names the unknown cohort {row['cohort']!r}")
            if (row["is_header_known"] == "1") != (name in columns):
                raise EvidenceError(
                    f"seeds/{file}.csv", line, f"is_header_known of {name} contradicts seeds/table_columns.csv"
                )
            tables[name] = Table(
                name=name,
                is_view=is_view,
                paths=(row["path"], *filter(None, row.get("aliases", "").split(";"))),
                format=row.get("format", "csv"),
                cohort=row["cohort"] or None,
                mart=row["mart"] or None,
                grain_key=tuple(filter(None, row["grain_key"].split(";"))),
                columns=tuple(columns.get(name, ())),
            )
    if strangers := columns.keys() - tables.keys():
        raise EvidenceError("seeds/table_columns.csv", None, f"columns of unregistered tables: {sorted(strangers)}")

    return Registry(
        tables=tables,
        vocabularies={name: frozenset(words) for name, words in vocabularies.items()},
        absence_spellings={row["spelling"]: row["spelling_name"] for row in read_seed("absence_spellings", seeds)},
        known_editions=frozenset((row["table_name"], row["sha256"]) for row in read_seed("editions", seeds)),
    )
