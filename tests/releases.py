"""Small releases for tests: a folder with the given files and, when sealed, a manifest that covers them."""

import csv
import hashlib
import os
from pathlib import Path

import pytest

UPSTREAM = Path(os.environ.get("RLVRAM_UPSTREAM", "../shared/upstream"))

STAGES = "benchmark/stage_measurements.csv"
STAGES_HEADER = "run_id,configuration_id,stage,observed_peak_mib,coverage,phase_memory_csv\n"
STAGES_ROW = "run-1,cfg-1,rollout,30120.0,completed_run,output/a.csv\n"


def upstream() -> Path:
    """The folder of the real tables."""
    return _given(UPSTREAM, "benchmark/runs.csv", "the real tables are")


def dataset_card() -> Path:
    """The dataset card as published."""
    return _given(UPSTREAM.parent / "spec", "dataset-card.md", "the dataset card is") / "dataset-card.md"


def _given(folder: Path, file: str, what: str) -> Path:
    """`folder`, when it holds `file`. In CI it must; elsewhere the test is skipped and says what it lacks."""
    if not (folder / file).is_file():
        message = f"{what} not in {folder} (RLVRAM_UPSTREAM names the folder of the real tables)"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return folder


def write_release(folder: Path, files: dict[str, str | bytes], sealed: bool = True) -> Path:
    """Write `files` (path → content) below `folder`; `sealed` adds a MANIFEST.sha256 over them."""
    lines = []
    for path, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        lines.append(f"{hashlib.sha256(data).hexdigest()}  {path}\n")
    if sealed:
        (folder / "MANIFEST.sha256").write_text("".join(lines))
    return folder


def read_csv(path: Path) -> list[dict[str, str]]:
    """Rows of a CSV file as dictionaries of text."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
