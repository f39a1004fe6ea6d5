"""Raw evidence made up to fit given tables: the attempts, ids, peaks, stages and diagnoses are the tables' own.

Loaded, everything derivable must reconcile. It serves the sample's own tables and, as `from-tables`, the real ones.
"""

import csv
import shutil
from collections import defaultdict
from pathlib import Path

from loaders.member_manifest import MANIFEST_PATH
from tests.synthetic.evidence import Attempt, members
from tests.synthetic_archive import tar_bytes, with_manifest, write_bytes, zst

ARCHIVE = "RLVRAMBench-review-artifact-synthetic.tar.zst"
# An excluded attempt has no published peaks: its traces show a start and nothing else.
EXCLUDED_STAGES = [("initializing", 5_000)]
RUN_PATHS = ("artifact_path", "run_log", "phase_memory_csv", "gpu_telemetry_csv", "environment_json")


def _rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "benchmark" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def attempts(folder: Path) -> list[Attempt]:
    """Every attempt of the tables in `folder` that names evidence files."""
    runs = {row["run_id"]: row for row in _rows(folder, "runs.csv")}
    devices = {row["configuration_id"]: int(row["gpu_count"]) for row in _rows(folder, "configurations.csv")}
    stages = defaultdict(list)
    for row in _rows(folder, "stage_measurements.csv"):
        stages[row["run_id"]].append((row["stage"], int(float(row["observed_peak_mib"]))))
    found = []
    for row in _rows(folder, "attempts.csv"):
        run = runs.get(row["run_id"])
        paths = set(filter(None, row["evidence_files"].split(";")))
        if run is not None:
            paths |= {run[name] for name in RUN_PATHS}
            nested = f"/attempt-{row['job_id']}/"
            if nested in run["run_log"]:
                paths.add(run["run_log"].replace("/training-", "/trial-").removesuffix(".log") + ".json")
        if paths:
            found.append(
                Attempt(
                    job_id=row["job_id"],
                    seed=run["training_seed"] if run else "0",
                    is_completed=row["documented_completion"] == "1",
                    stages=stages[row["run_id"]] if run else EXCLUDED_STAGES,
                    terminal_stage=run["terminal_stage"] if run else "initializing",
                    failure_kind=run["failure_kind"] if run else row["failure_kind"],
                    steps=int(run["requested_training_steps"]) if run else 1,
                    device_count=devices[row["configuration_id"]],
                    paths=paths,
                )
            )
    return found


def evidence_members(folder: Path) -> dict[str, bytes]:
    """Members of the archive that fits the tables in `folder`, in order of their paths."""
    found: dict[str, bytes] = {}
    for attempt in attempts(folder):
        found |= members(attempt)
    return dict(sorted(found.items()))


def archive_bytes(found: dict[str, bytes]) -> bytes:
    """The archive of these members, its manifest last."""
    listed = with_manifest(found)
    listed[MANIFEST_PATH] = listed.pop(MANIFEST_PATH)
    return zst(tar_bytes(listed), level=9)


def write_from_tables(tables: Path, folder: Path) -> None:
    """Write a release with the tables in `tables`, byte for byte, and an archive of evidence that fits them."""
    shutil.copytree(tables, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
    write_archive_beside(folder)


def write_archive_beside(folder: Path) -> None:
    """Write the archive that fits the tables in `folder` below its `releases/`, with its sidecar."""
    (folder / "releases").mkdir(exist_ok=True)
    write_bytes(folder / "releases", archive_bytes(evidence_members(folder)), ARCHIVE)
