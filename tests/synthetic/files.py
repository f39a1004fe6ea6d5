"""A release in memory: text by path, and the counts its author expects; and how it is written, with its manifests."""

import csv
import hashlib
import io
import json
from dataclasses import dataclass, field
from pathlib import Path

from loaders.registry import read_registry

EXPECTATIONS_HEADER = ["table_name", "relation", "quantity", "member", "expected", "source_document", "source_place"]
Row = dict[str, object]


@dataclass
class Files:
    """Files of a release, and its expectations: what the plan says, not what was counted afterwards."""

    texts: dict[str, str] = field(default_factory=dict)
    expectations: list[list[object]] = field(default_factory=list)

    def table(self, name: str, rows: list[Row], header: list[str] | None = None) -> None:
        """Add the registered table `name`; its header is the registry's unless the view's header is invented."""
        table = read_registry().tables[name]
        columns = header or [column.name for column in table.columns if column.is_required or column.name in rows[0]]
        self.texts[table.paths[0]] = csv_text(columns, rows)

    def document(self, path: str, body: object) -> None:
        self.texts[path] = json.dumps(body, indent=2) + "\n"

    def expect(self, table: str, relation: str, quantity: str, counts: dict[str, int], place: str) -> None:
        for member, expected in counts.items():
            row = [table, relation, quantity, member, expected, "README.md of the sample", place]
            self.expectations.append(row)


def csv_text(columns: list[str], rows: list[Row]) -> str:
    """CSV as the release writes it: blank for None, line feed, minimal quoting."""
    sink = io.StringIO()
    writer = csv.DictWriter(sink, columns, lineterminator="\n", extrasaction="raise")
    writer.writeheader()
    writer.writerows(rows)
    return sink.getvalue()


def write(files: Files, folder: Path) -> None:
    """Write every file below `folder` and the manifests that cover them, in several shapes of release format 1.5."""
    texts = dict(files.texts)
    texts["expectations.csv"] = csv_text(
        EXPECTATIONS_HEADER, [dict(zip(EXPECTATIONS_HEADER, row, strict=True)) for row in files.expectations]
    )
    texts["benchmark/manifest.json"] = _manifest(
        texts, "benchmark/", {"protocol_version": "1.0", "algorithm": "sha256"}
    )
    results = "benchmark/decision/results/"
    digests = {path.removeprefix(results): sha256(text) for path, text in texts.items() if path.startswith(results)}
    texts[results + "manifest.json"] = json.dumps({"algorithm": "sha256", "files": digests}, indent=2) + "\n"
    for panel in ("estimation", "host_capacity"):
        base = f"benchmark/{panel}/results/"
        texts[base + "output_manifest.json"] = json.dumps(_entries(texts, base), indent=2) + "\n"
    texts["MANIFEST.sha256"] = "".join(f"{sha256(text)}  {path}\n" for path, text in sorted(texts.items()))
    for path, text in texts.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _entries(texts: dict[str, str], base: str) -> dict[str, dict[str, object]]:
    """Digest and size of the files directly in `base`."""
    return {
        path.removeprefix(base): {"sha256": sha256(text), "size_bytes": len(text.encode())}
        for path, text in sorted(texts.items())
        if path.startswith(base) and "/" not in path.removeprefix(base)
    }


def _manifest(texts: dict[str, str], base: str, head: dict[str, object]) -> str:
    return json.dumps(head | {"files": _entries(texts, base)}, indent=2) + "\n"
