"""The ten historical studies of the sample: configurations, runs and excluded attempts (release format 3.1, 4).

The plan is made first, in memory; tables are projections of it.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from tests.synthetic.files import Files, Row
from tests.synthetic.ids import case_id, configuration_id, hashed

CAPACITY, LIMIT = 40_960, 38_912
FAMILIES = {
    "granite33_2b": ("Granite-3.3-2B-Instruct", "ibm-granite/granite-3.3-2b-instruct"),
    "phi4_mini": ("Phi-4-mini-instruct", "microsoft/Phi-4-mini-instruct"),
    "qwen25_3b": ("Qwen2.5-3B-Instruct", "Qwen/Qwen2.5-3B-Instruct"),
}
# workload → published name, older dataset id, prompt, response and model length, sequences, n, batch, log-prob batch
WORKLOADS = {
    "gsm8k": ("GSM8K mathematics", "gsm8k", 1024, 2048, 3072, 64, 2, 32, 4),
    "math": ("MATH mathematics", "math", 512, 512, 1024, 128, 2, 64, 8),
    "code_standard": ("Standard code", "code_standard", 640, 1024, 1664, 64, 2, 32, 4),
    "longer_prompt_code": ("Longer-prompt code", "code_heavy_tail", 1536, 1024, 2560, 64, 2, 32, 4),
}
LEVELS = {"c0": (1, 0.3, True), "c3": (16, 0.7, False), "c5": (32, 0.85, False)}
STAGES = ["initializing", "rollout", "reference_logprob", "actor_update", "weight_sync", "idle"]
# How a failure shows: kind, terminal stage, sampled peak. A failed peak may be tiny or near capacity.
FAILURES = [
    ("rollout_init_memory", "initializing", 40_954),
    ("weight_sync_oom", "weight_sync", 14_790),
    ("rollout_oom", "rollout", 40_120),
    ("actor_update_oom", "actor_update", 39_876),
    ("reference_logprob_oom", "reference_logprob", 22_004),
]
CONTROL = "batch_logging_control"
# Run group of each study's raw evidence, and the studies whose attempts lie in folders of their own (release format 2.1).
GROUPS = {
    "boundary": "benchmark_v2_cross_family_confirmatory", "batch_reservation": "strengthening_factorial",
    "state_release": "strengthening_same_node_residency", "temporal_40": "benchmark_v2_temporal_confirmatory",
    "temporal_100": "strengthening_temporal_phases", "sampling_calibration": "benchmark_v2_telemetry_calibration",
    "instrumentation": "revision_instrumentation", "horizon_followup": "revision_temporal",
    "four_gpu": "revision_topology", CONTROL: "review_instrumentation_batch",
}  # fmt: skip
NESTED = {"instrumentation", "horizon_followup", "four_gpu", CONTROL}
# Collector's word, failure kind, reason of exclusion; each befalls one slot of the study named.
EXCLUDED = [
    ("boundary", "other_failure", "distributed_port_collision", "matched_source_port_collision"),
    ("boundary", "other_failure", "runtime", "original_eligibility_rule:runtime_failure_unclassified"),
    ("boundary", "completed", "", "redundant_orchestration_duplicate"),
    ("boundary", "memory_failure", "", "Known from a scheduler log only, before the record was written"),
    ("temporal_100", "no_trial_record", "", "temporal_weight_sync_no_progress"),
    ("temporal_100", "no_trial_record", "", "temporal_cuda_ipc_weight_sync_failure"),
    (CONTROL, "timeout_unresolved_cause", "", "timeout_unresolved_cause"),
    (CONTROL, "accelerator_argument_error_then_noncompletion", "", "accelerator_argument_error_then_noncompletion"),
    (CONTROL, "recorded_failure", "", "recorded_failure"),
    (CONTROL, "noncompletion_unresolved_cause", "", "noncompletion_unresolved_cause"),
]
LAST_STEPS = [41, 58]
# Settings that only the later studies' matrices have; elsewhere they are blank, which is not the same as disabled.
TRACED = {
    "allocator_trace_enabled": "True", "allocator_trace_sync": "1", "save_freq": "-1", "test_freq": "-1",
    "val_before_train": "False", "resume_mode": "disable", "max_actor_ckpt_to_keep": "1",
}  # fmt: skip


@dataclass
class Run:
    """One eligible run. `peak` is the sampled maximum, of a failed run too; `failure` is (kind, terminal stage)."""

    experiment_id: str
    seed: int
    job_id: str
    peak: int
    failure: tuple[str, str] | None
    pair_id: str = ""
    period: str = ""

    @property
    def id(self) -> str:
        return hashed("run", [self.experiment_id, self.job_id])

    @property
    def state(self) -> str:
        if self.failure:
            return "memory_failure"
        return "within_margin" if self.peak <= LIMIT else "above_margin"


@dataclass
class Configuration:
    """One setting with its runs; `excluded` are attempt rows that no rule of eligibility let through."""

    settings: dict[str, str]
    runs: list[Run] = field(default_factory=list)
    excluded: list[Row] = field(default_factory=list)

    @property
    def id(self) -> str:
        return configuration_id(self.settings)

    @property
    def case_id(self) -> str:
        return case_id(self.settings)

    @property
    def study(self) -> str:
        return self.settings["study"]

    @property
    def label(self) -> str:
        if len(self.runs) == 1:
            return "not_repeated"
        states = {run.state for run in self.runs}
        return next(state for state in ("memory_failure", "above_margin", "within_margin") if state in states)

    @property
    def completed_peaks(self) -> list[int]:
        return [run.peak for run in self.runs if not run.failure]


def settings(study: str, family: str, workload: str, level: str, **more: object) -> dict[str, str]:
    """All 41 settings as text, in the order of the release."""
    name, model_id = FAMILIES[family]
    workload_name, legacy, prompt, response, model_length, sequences, n, batch, logprob = WORKLOADS[workload]
    micro_batch, reservation, offload = LEVELS.get(level, (16, 0.7, False))
    body: dict[str, object] = {
        "study": study, "model_family": family, "model_name": name, "model_id": model_id, "workload_id": workload,
        "workload_name": workload_name, "legacy_dataset_id": legacy, "algorithm": "GRPO", "adaptation": "LoRA",
        "configuration_level": level, "condition": "", "gpu_count": 2, "rollout_tp_size": 1,
        "actor_micro_batch": micro_batch, "rollout_logprob_micro_batch": logprob, "ref_logprob_micro_batch": logprob,
        "vllm_gpu_memory_utilization": reservation, "parameter_offload": offload, "optimizer_offload": False,
        "free_cache_engine": True, "max_prompt_length": prompt, "max_response_length": response,
        "max_model_len": model_length, "max_num_seqs": sequences, "rollout_n": n, "train_batch_size": batch,
        "train_max_samples": -1, "val_max_samples": batch, "total_training_steps": 1, "gpu_monitor_interval_ms": 100,
        **dict.fromkeys(TRACED, ""), "accelerator": "NVIDIA A100-SXM4-40GB", "device_capacity_mib": CAPACITY,
        "margin_limit_mib": LIMIT, "peak_measurement": "maximum externally sampled per-device memory",
    }  # fmt: skip
    return {key: str(value) for key, value in (body | more).items()}


class Plan:
    """Makes configurations with their runs, one call each."""

    def __init__(self, random: Random):
        self._random = random
        self._failures = iter(FAILURES * 10)
        self.jobs = iter(range(7_000_001, 7_100_000))
        self.configurations: list[Configuration] = []

    def add(self, outcome: str, peaks: list[int] | None = None, **body: object) -> None:
        """A configuration whose runs all end in `outcome`, or have the given completed `peaks`."""
        made = Configuration(settings(**body))  # type: ignore[arg-type]
        s = made.settings
        failure = next(self._failures) if outcome == "memory_failure" else None
        stem = "-".join((s["study"], s["model_family"], s["workload_id"], s["configuration_level"])).replace("_", "-")
        low, high = (12_000, 18_500) if outcome == "within_margin" else (19_500, 20_450)
        for index in range(1 if made.study == "sampling_calibration" else 3):
            slot = f"sample-{stem}-g{s['gpu_count']}-{s['condition'] or 'plain'}-s{40 + index}"
            if failure:
                peak = min(failure[2] + 2 * index, CAPACITY)
            else:
                peak = peaks[index] if peaks else 2 * self._random.randint(low, high)
            made.runs.append(Run(slot, 40 + index, str(next(self.jobs)), peak, failure[:2] if failure else None))
        self.configurations.append(made)

    def pair(self, study: str) -> None:
        """Both conditions of a pair run in one job, one after the other: a job number names no run."""
        first, second = (c for c in self.configurations if c.study == study)
        for one, other in zip(first.runs, second.runs, strict=True):
            one.pair_id, one.period = f"{study}-s{one.seed}".replace("_", "-"), "1"
            other.job_id, other.pair_id, other.period = one.job_id, one.pair_id, "2"

    def exclude(self) -> None:
        """Give each kind of excluded attempt to one slot of its study."""
        last_steps = iter(LAST_STEPS)
        for index, (study, outcome, kind, reason) in enumerate(EXCLUDED):
            choices = [c for c in self.configurations if c.study == study]
            chosen = choices[index % len(choices)]
            slot, job = chosen.runs[index % len(chosen.runs)].experiment_id, str(next(self.jobs))
            has_files = outcome != "memory_failure"
            chosen.excluded.append({
                "attempt_id": hashed("attempt", [slot, job]), "configuration_id": chosen.id, "run_id": "",
                "study": study, "experiment_id": slot, "job_id": job, "eligible": 0, "recorded_outcome": outcome,
                "documented_completion": int(outcome == "completed"), "failure_kind": kind, "exclusion_reason": reason,
                "last_completed_step_if_documented": next(last_steps) if study == "temporal_100" else "",
                "evidence_files": _excluded_files(study, slot, job, outcome) if has_files else "",
                "scheduler_evidence": "" if has_files else f"logs/sample-{job}.out",
            })  # fmt: skip


def plan(random: Random) -> list[Configuration]:
    """Every configuration of the sample, ordered by id as the release orders them."""
    made = Plan(random)
    special = {
        ("qwen25_3b", "gsm8k"): ("within_margin", [38_000, LIMIT, 37_990]),  # the limit met exactly: still within
        ("phi4_mini", "math"): ("above_margin", [38_910, LIMIT + 2, 38_102]),  # two within, one above
        ("granite33_2b", "code_standard"): ("above_margin", None),
    }
    for family in FAMILIES:
        for workload in WORKLOADS:
            body = {"study": "boundary", "family": family, "workload": workload}
            made.add("within_margin", level="c0", **body)
            made.add(*special.get((family, workload), ("within_margin", None)), level="c3", **body)
            made.add("above_margin" if workload == "gsm8k" else "memory_failure", level="c5", **body)
        made.add(
            "within_margin", study="four_gpu", family=family, workload="gsm8k", level="c3", gpu_count=4,
            condition="four_gpu", **TRACED,
        )  # fmt: skip
    for level in ("base", "joint"):
        made.add("within_margin", study="batch_reservation", family="phi4_mini", workload="math", level=level)
    for condition, outcome in (("release", "within_margin"), ("resident", "above_margin")):
        made.add(
            outcome, study="state_release", family="qwen25_3b", workload="gsm8k", level="safe_margin",
            condition=condition, free_cache_engine=condition == "release",
        )  # fmt: skip
    for condition in ("external", "full"):
        made.add(
            "within_margin", study="instrumentation", family="phi4_mini", workload="gsm8k", level="c3",
            condition=condition, **TRACED,
        )  # fmt: skip
    for condition, interval in (("control", 100), ("high_frequency", 10)):
        made.add(
            "within_margin", study="sampling_calibration", family="qwen25_3b", workload="math", level="safe_margin",
            condition=condition, gpu_monitor_interval_ms=interval,
        )  # fmt: skip
    for family in ("phi4_mini", "granite33_2b"):
        for condition, steps in (("source", 1), ("long", 100)):
            made.add(
                "within_margin", study="horizon_followup", family=family, workload="gsm8k",
                level="interpolated_boundary", condition=condition, total_training_steps=steps, **TRACED,
            )  # fmt: skip
    periodic = {"test_freq": 20, "val_before_train": True}
    made.add(
        "within_margin", study="temporal_40", family="qwen25_3b", workload="math", level="safe_margin",
        total_training_steps=40, save_freq=80, **periodic,
    )  # fmt: skip
    for level in ("safe_margin", "near_boundary"):
        made.add(
            "within_margin", study="temporal_100", family="qwen25_3b", workload="gsm8k", level=level,
            total_training_steps=100, save_freq=25, **periodic,
        )  # fmt: skip
    for condition in ("external_b8", "full_b8"):
        made.add(
            "within_margin", study=CONTROL, family="phi4_mini", workload="gsm8k", level=condition,
            condition=condition, actor_micro_batch=8, **TRACED,
        )  # fmt: skip
    made.pair("state_release")
    made.pair(CONTROL)
    made.exclude()
    return sorted(made.configurations, key=lambda c: c.id)


def _excluded_files(study: str, slot: str, job: str, outcome: str) -> str:
    """What an excluded attempt left: a log and its traces, and a trial record unless there is none."""
    base = f"output/{GROUPS[study]}/{slot}" + (f"/attempt-{job}" if study in NESTED else "")
    names = [f"training-{job}.log", f"phase-memory-{job}.csv", f"gpu-memory-{job}.csv", f"gpu-telemetry-{job}.csv"]
    names += [f"trial-{job}.json"] if outcome != "no_trial_record" else []
    return ";".join(f"{base}/{name}" for name in sorted(names))


def _evidence(configuration: Configuration, run: Run) -> dict[str, str]:
    slot = f"output/{GROUPS[configuration.study]}/{run.experiment_id}"
    base = f"{slot}/attempt-{run.job_id}" if configuration.study in NESTED else slot
    return {
        "artifact_path": f"{slot}/trial-{run.job_id}.json", "run_log": f"{base}/training-{run.job_id}.log",
        "phase_memory_csv": f"{base}/phase-memory-{run.job_id}.csv",
        "gpu_telemetry_csv": f"{base}/gpu-telemetry-{run.job_id}.csv",
        "environment_json": f"{base}/environment-{run.job_id}.json",
    }  # fmt: skip


def stages(configuration: Configuration, run: Run) -> list[tuple[str, int, str]]:
    """(stage, largest sampled memory, coverage) of a run, in order: of a failed one up to the stage it ended in."""
    seen = STAGES[:-1]
    if run.failure:
        seen = STAGES[: STAGES.index(run.failure[1]) + 1]
    elif configuration.settings["save_freq"] not in ("", "-1"):
        seen = [*seen, "checkpoint", "validation"]
    if not run.failure:
        seen = [*seen, "idle"]
    highest = "weight_sync" if "weight_sync" in seen else seen[-1]
    found = []
    for position, stage in enumerate(seen):
        coverage = "completed_run"
        if run.failure:
            coverage = "terminal_stage_partial" if stage == run.failure[1] else "stage_completion_not_certified"
        found.append((stage, run.peak if stage == highest else run.peak - 1_000 - 100 * position, coverage))
    return found


def _run_row(c: Configuration, run: Run) -> Row:
    has_allocation = c.settings["allocator_trace_enabled"] == "True"
    return {
        "run_id": run.id, "configuration_id": c.id, "study": c.study, "experiment_id": run.experiment_id,
        "training_seed": run.seed, "job_id": run.job_id, "pair_id": run.pair_id, "period": run.period,
        "observed_state": run.state, "completed_requested_work": int(run.failure is None),
        "requested_training_steps": c.settings["total_training_steps"], "observed_peak_mib": f"{run.peak}.0",
        "completed_run_peak_mib": "" if run.failure else f"{run.peak}.0",
        "elapsed_seconds": f"{120 + run.peak % 180}.0", "terminal_stage": stages(c, run)[-1][0],
        "failure_kind": run.failure[0] if run.failure else "", "source_table": f"profiles/sample/{c.study}-trials.csv",
        **_evidence(c, run),
        "allocation_manifest": f"output/{GROUPS[c.study]}/pairs/{run.experiment_id}.json" if has_allocation else "",
        "source_head": "5" * 40 if has_allocation else "",
    }  # fmt: skip


def _stage_rows(c: Configuration, run: Run) -> Iterator[Row]:
    for stage, peak, coverage in stages(c, run):
        yield {
            "run_id": run.id, "configuration_id": c.id, "stage": stage, "observed_peak_mib": f"{peak}.0",
            "coverage": coverage, "phase_memory_csv": _evidence(c, run)["phase_memory_csv"],
        }  # fmt: skip


def _attempt_row(c: Configuration, run: Run) -> Row:
    return {
        "attempt_id": hashed("attempt", [run.experiment_id, run.job_id]), "configuration_id": c.id, "run_id": run.id,
        "study": c.study, "experiment_id": run.experiment_id, "job_id": run.job_id, "eligible": 1,
        "recorded_outcome": "memory_failure" if run.failure else "completed",
        "documented_completion": int(run.failure is None), "failure_kind": run.failure[0] if run.failure else "",
        "exclusion_reason": "", "last_completed_step_if_documented": "",
        "evidence_files": ";".join(sorted(_evidence(c, run).values())), "scheduler_evidence": "",
    }  # fmt: skip


def _outcome_row(c: Configuration) -> Row:
    states, peaks = Counter(run.state for run in c.runs), c.completed_peaks
    return {
        "configuration_id": c.id, "observed_state": c.label, "eligible_processes": len(c.runs),
        "distinct_seeds": len({run.seed for run in c.runs}), "completed_eligible_processes": len(peaks),
        "within_margin_processes": states["within_margin"], "above_margin_processes": states["above_margin"],
        "memory_failure_processes": states["memory_failure"],
        "max_completed_run_peak_mib": f"{max(peaks)}.0" if peaks else "",
        "mean_completed_run_peak_mib": sum(peaks) / len(peaks) if peaks else "",
        "recorded_attempts": len(c.runs) + len(c.excluded),
        "documented_completed_attempts": len(peaks) + sum(bool(row["documented_completion"]) for row in c.excluded),
        "excluded_attempts": len(c.excluded),
        "label_scope": "single_process_calibration_only" if len(c.runs) == 1 else "eligible_resource_outcomes",
    }  # fmt: skip


def _never_started(found: list[Configuration]) -> list[Row]:
    control = next(c for c in found if c.study == CONTROL)
    return [
        {
            "experiment_id": run.experiment_id, "pair_id": run.pair_id, "condition": control.settings["condition"],
            "period": 1, "model_family": "phi4_mini", "dataset": "gsm8k", "training_seed": run.seed,
            "job_id": str(7_900_001 + index), "initial_allocation": 1, "attempted": 0, "outcome": "not_attempted",
            "observed_peak_mib": "nan", "actor_update_peak_mib": "nan", "terminal_sampled_phase": "",
        }
        for index, run in enumerate(control.runs)
    ]  # fmt: skip


def _feasibility(c: Configuration) -> Row:
    outcome = _outcome_row(c)
    return {
        "model_family": c.settings["model_family"], "algorithm": "grpo", "dataset": c.settings["legacy_dataset_id"],
        "configuration_level": c.settings["configuration_level"], "safe": int(c.label == "within_margin"),
        "safe_repetitions": outcome["within_margin_processes"],
        "successful_repetitions": outcome["completed_eligible_processes"],
        "mean_success_peak_mib": outcome["mean_completed_run_peak_mib"] or "nan",
    }  # fmt: skip


def add_historical(files: Files, found: list[Configuration], used: set[str]) -> None:
    """Add the historical tables; `used` are the configurations that a transfer query uses."""
    runs = [(c, run) for c in found for run in c.runs]
    setting_rows = [{"configuration_id": c.id, "case_id": c.case_id, **c.settings} for c in found]
    outcome_rows = [_outcome_row(c) for c in found]
    browsing = [
        {**row, **outcome, "used_in_transfer_tasks": int(row["configuration_id"] in used)}
        for row, outcome in zip(setting_rows, outcome_rows, strict=True)
    ]
    attempts = [_attempt_row(c, run) for c, run in runs] + [row for c in found for row in c.excluded]
    stage_rows = [row for c, run in runs for row in _stage_rows(c, run)]
    for name, rows in {
        "configurations": setting_rows, "outcomes": outcome_rows, "all_configurations": browsing,
        "transfer_configurations": [row for row in browsing if row["used_in_transfer_tasks"]],
        "eligible_runs": sorted((_run_row(c, run) for c, run in runs), key=lambda row: str(row["run_id"])),
        "recorded_attempts": sorted(attempts, key=lambda row: str(row["attempt_id"])),
        "stage_measurements": sorted(stage_rows, key=lambda row: (row["run_id"], row["stage"])),
        "not_started_conditions": _never_started(found),
        "configuration_feasibility": [_feasibility(c) for c in found if c.study == "boundary"],
    }.items():  # fmt: skip
        files.table(name, rows)
    studies = Counter(c.study for c, _ in runs)
    place = "Historical studies"
    for table, relation, quantity, counts in (
        ("all_configurations", "configurations", "rows", {"": len(found)}),
        ("all_configurations", "configurations", "observed_state", Counter(c.label for c in found)),
        ("eligible_runs", "runs", "rows", {"": len(runs)}),
        ("eligible_runs", "runs", "observed_state", Counter(run.state for _, run in runs)),
        ("eligible_runs", "runs", "study", studies),
        ("recorded_attempts", "attempts", "rows", {"": len(runs) + len(EXCLUDED)}),
        ("recorded_attempts", "attempts", "recorded_outcome of excluded", Counter(row[1] for row in EXCLUDED)),
        ("stage_measurements", "stages", "rows", {"": sum(len(stages(c, run)) for c, run in runs)}),
        ("not_started_conditions", "never_started", "rows", {"": 3}),
        ("configuration_feasibility", "feasibility", "rows", {"": len(FAMILIES) * len(WORKLOADS) * len(LEVELS)}),
    ):
        files.expect(table, f"historical.{relation}", quantity, counts, place)
    files.expect("transfer_configurations", "transfer.configurations", "rows", {"": len(used)}, place)
