"""The raw evidence of one attempt: trial record, log, three traces, environment (release format 2.2 to 2.5).

What is written follows from a few facts: stage peaks, the stage it ended in, the kind of failure. So the readers must
find again exactly what the tables say.
"""

import math
from dataclasses import dataclass, field

from tests.synthetic_archive import Link, environment_record, trace_files, trial_record

STAGE_ORDER = ["initializing", "rollout", "reference_logprob", "actor_update", "weight_sync", "checkpoint", "validation", "idle", "unknown"]  # fmt: skip
RECORDED_ROOT = "/mnt/proj3/open-35-44/verl/rl/"
# Text that gives each diagnosis by the ordered rules of release format 2.4; a stage kind needs its terminal stage too.
PHRASES = {
    "rollout_init_memory": "torch.OutOfMemoryError: CUDA out of memory.\nRuntimeError: Engine core initialization failed.",
    "weight_sync_oom": "torch.OutOfMemoryError: CUDA out of memory.\n  in checkpoint_manager.update_weights(params)",
    "distributed_port_collision": "DistNetworkError: server socket failed to listen: EADDRINUSE",
    "environment": "ModuleNotFoundError: No module named 'vllm'",
    "configuration": "Error executing job with overrides: ['trainer=x']",
    "insufficient_allocated_gpus": "Total available GPUs 1 is less than total desired GPUs 2",
    "vllm_executor_failure": "Executor failed.",
    "timeout": "the step timed out",
    "runtime": "Segmentation fault",
    "": "Stopped.",
}


@dataclass
class Attempt:
    """What the evidence of an attempt must show. `stages` are (stage, largest MiB on any device)."""

    job_id: str
    seed: str
    is_completed: bool
    stages: list[tuple[str, int]]
    terminal_stage: str
    failure_kind: str = ""
    steps: int = 1
    device_count: int = 2
    paths: set[str] = field(default_factory=set)
    has_trial: bool = True

    @property
    def peak(self) -> int:
        return max(peak for _, peak in self.stages)


def members(attempt: Attempt) -> dict[str, bytes | Link]:
    """The attempt's files at its `paths`. A trial beside the attempt's folder is a link into it."""
    found: dict[str, bytes | Link] = {}
    traces = trace_files(*_samples(attempt))
    nested = {path for path in attempt.paths if f"/attempt-{attempt.job_id}/" in path}
    for path in attempt.paths:
        name = path.rsplit("/", 1)[1]
        kind = name.rsplit(f"-{attempt.job_id}.", 1)[0]
        if kind in traces:
            found[path] = traces[kind]
        elif kind == "training":
            found[path] = _log(attempt).encode()
        elif kind == "environment":
            found[path] = environment_record()
        elif kind == "trial" and nested and path not in nested:
            found[path] = Link(f"attempt-{attempt.job_id}/{name}")
        elif kind == "trial":
            found[path] = _trial(attempt)
    return found


def _samples(attempt: Attempt) -> tuple[list[tuple[int, ...]], list[int], list[str]]:
    """Readings of every device, steps and stages of the points, the terminal stage last."""
    last = attempt.terminal_stage
    stages = sorted(attempt.stages, key=lambda item: (item[0] == last, STAGE_ORDER.index(item[0])))
    each = max(3, math.ceil(attempt.steps / max(1, sum(stage != "initializing" for stage, _ in stages))) + 1)
    memory, steps, words = [], [], []
    stepped = sum(each for stage, _ in stages if stage != "initializing")
    done = 0
    for stage, peak in stages:
        for sample in range(each):
            reading = peak if sample == each // 2 else max(1, peak - 100 - sample)
            memory.append((reading, *(max(1, reading - 2 * device) for device in range(1, attempt.device_count))))
            steps.append(0 if stage == "initializing" else 1 + done * attempt.steps // stepped)
            done += stage != "initializing"
            words.append(stage)
    return memory, steps, words


def _log(attempt: Attempt) -> str:
    lines = ["dataset len: 7473", "filter dataset len: 7473", f"'total_training_steps': {attempt.steps}"]
    if attempt.is_completed:
        lines += [f"step:{n} - training/global_step:{n} - actor/grad_norm:0.5" for n in range(1, attempt.steps + 1)]
    else:
        lines.append(PHRASES.get(attempt.failure_kind, "torch.OutOfMemoryError: CUDA out of memory."))
    return "\n".join(lines) + "\n"


def _trial(attempt: Attempt) -> bytes:
    def recorded(kind: str) -> str:
        return next((RECORDED_ROOT + path for path in sorted(attempt.paths) if f"/{kind}-" in path), "")

    return trial_record(
        attempt.job_id, attempt.peak, exit_code=0 if attempt.is_completed else 1, training_seed=int(attempt.seed),
        gpu_count=attempt.device_count, run_log=recorded("training"), phase_memory_csv=recorded("phase-memory"),
        gpu_telemetry_csv=recorded("gpu-telemetry"), environment_json=recorded("environment"),
    )  # fmt: skip
