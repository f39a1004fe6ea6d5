"""Run dbt as a process of its own, in the folder that holds the warehouse, and read what came of it."""

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class NodeResult:
    """One model, seed or test: `status` in dbt's words, `message` as dbt gives it, `sql` as it was run."""

    name: str
    kind: str
    status: str
    message: str
    sql: str


@dataclass(frozen=True)
class DbtRun:
    """What a run gave; `invocation_id` is None when dbt ended before it ran anything, and `log` says why."""

    is_good: bool
    invocation_id: str | None
    failures: tuple[NodeResult, ...]
    warnings: tuple[NodeResult, ...]
    log: str


def build(project: Path, folder: Path, on_progress: Callable[[int, int], None] = lambda done, total: None) -> DbtRun:
    """`dbt build` of `project` on the `warehouse.duckdb` in `folder`; `on_progress` gets (nodes done, nodes in all)."""
    target = project / "target"
    target.mkdir(exist_ok=True)
    with _one_at_a_time(target) as lock:
        results = target / "run_results.json"
        results.unlink(missing_ok=True)
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "dbt.cli.main",
                "--log-format",
                "json",
                "--log-level-file",
                "none",
                "build",
                "--project-dir",
                str(project),
                "--profiles-dir",
                str(project),
                "--target-path",
                str(target),
            ],
            cwd=folder,
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            pass_fds=[lock],  # a dbt whose parent was killed keeps the lock to its end
        )
        try:
            log = [line for line in _watched(process, on_progress)]
            code = process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
        body = json.loads(results.read_text(encoding="utf-8")) if results.exists() else None
    if body is None:
        return DbtRun(False, None, (), (), "\n".join(log))
    nodes = [
        NodeResult(
            name=result["unique_id"].split(".", 2)[2],
            kind=result["unique_id"].split(".")[0],
            status=result["status"],
            message=result["message"] or "",
            sql=result["compiled_code"] or "",
        )
        for result in body["results"]
    ]
    return DbtRun(
        is_good=code == 0,
        invocation_id=body["metadata"]["invocation_id"],
        failures=tuple(node for node in nodes if node.status in ("error", "fail", "runtime error")),
        warnings=tuple(node for node in nodes if node.status == "warn"),
        log="\n".join(log),
    )


@contextmanager
def _one_at_a_time(target: Path) -> Iterator[int]:
    """dbt keeps its parse cache and results in `target`: two runs of one project would overwrite each other's."""
    with (target / ".rlvram.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def _environment() -> dict[str, str]:
    """Ours, less what would name another file: dbt finds the warehouse in the folder it is started in."""
    return {key: value for key, value in os.environ.items() if key != "RLVRAM_WAREHOUSE"}


def _watched(process: subprocess.Popen, on_progress: Callable[[int, int], None]) -> Iterator[str]:
    assert process.stdout is not None
    for line in process.stdout:
        try:
            event = json.loads(line)
        except ValueError:
            yield line.rstrip()
            continue
        data = event.get("data", {})
        if event.get("info", {}).get("name", "").startswith("Log") and "index" in data and "total" in data:
            on_progress(data["index"], data["total"])
        yield event.get("info", {}).get("msg", "")
