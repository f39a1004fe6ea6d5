"""The admission study of the sample (release format 3.2, 5.4): two cases of three candidates, one screen and three
evaluation seeds each; one replaced attempt, one slot that never started, one candidate that stays unresolved."""

from collections import Counter
from random import Random

from tests.synthetic.files import Files, Row

SCREEN, EVALUATION = 141, (142, 143, 144)
LEVELS = {"c2": (8, 0.6), "c3": (16, 0.7), "c4": (16, 0.8)}
CASES = {
    "qwen25_3b-gsm8k-shape1024-n4-steps5": ("qwen25_3b", "Qwen2.5-3B-Instruct", "gsm8k", "GSM8K"),
    "phi4_mini-math-shape1024-n4-steps5": ("phi4_mini", "Phi-4-mini-instruct", "math", "MATH"),
}
# What each slot gave: within, above, failure, invalid, invalid_failure (known from its log), repaired, none.
OUTCOMES = {
    "qwen25_3b": {"c2": ("within", ["within", "repaired", "within"]), "c3": ("above", ["within", "above", "above"]),
                  "c4": ("failure", ["failure", "failure", "within"])},
    "phi4_mini": {"c2": ("within", ["within", "within", "within"]),
                  "c3": ("invalid", ["within", "invalid_failure", "within"]),
                  "c4": ("none", ["failure", "failure", "failure"])},
}  # fmt: skip
STAGES = [
    "initializing",
    "rollout",
    "reference_logprob",
    "actor_update",
    "weight_sync",
    "checkpoint",
    "validation",
    "idle",
]
BASE = "benchmark/decision/"


def _states(outcomes: list[str]) -> tuple[str, bool, bool]:
    """Published state over the evaluation slots, known failure, known above margin."""
    failed = any(outcome in ("failure", "invalid_failure") for outcome in outcomes)
    above = "above" in outcomes
    if any(outcome.startswith("invalid") for outcome in outcomes):
        return "unresolved", failed, above
    return "memory_failure" if failed else "above_margin" if above else "within_margin", failed, above


class _Study:
    """Rows of every table, filled slot by slot."""

    def __init__(self, random: Random):
        self.random = random
        self.jobs = iter(range(7_500_001, 7_600_000))
        self.candidates: list[Row] = []
        self.attempts: list[Row] = []
        self.allocations: list[Row] = []
        self.stages: list[Row] = []
        self.work: list[Row] = []
        self.matrix: list[Row] = []

    def candidate(self, case_id: str, level: str) -> None:
        family, name, dataset, workload = CASES[case_id]
        screen, evaluations = OUTCOMES[family][level]
        candidate_id = f"{case_id}-{level}"
        peaks: dict[str, list[float]] = {"screen": [], "evaluation": []}
        counts = Counter()
        for role, seed, outcome in [("screen", SCREEN, screen)] + [
            ("evaluation", seed, outcome) for seed, outcome in zip(EVALUATION, evaluations, strict=True)
        ]:
            made = self.slot(case_id, candidate_id, level, role, seed, outcome)
            counts[role] += len(made)
            peaks[role] += [float(str(row["peak_mib"])) for row in made if row["peak_mib"] != ""]
        state, failed, above = _states(evaluations)
        screen_state = {"within": "within_margin", "above": "above_margin", "failure": "memory_failure",
                        "invalid": "unresolved", "none": "not_started"}[screen]  # fmt: skip
        micro_batch, reservation = LEVELS[level]
        self.candidates.append({
            "model_name": name, "workload_name": workload, "configuration_level": level, "evaluation_state": state,
            "screen_state": screen_state, "source_state": "within_margin" if level == "c2" else "above_margin",
            "actor_micro_batch": micro_batch, "reservation": reservation, "gpu_count": 2, "training_steps": 5,
            "prompt_cap": 1024, "response_cap": 1024, "responses_per_prompt": 4, "global_prompt_batch": 32,
            "evaluation_known_memory_failure": failed, "evaluation_known_above_margin": above,
            "screen_peak_mib": max(peaks["screen"], default=""),
            "evaluation_max_completed_peak_mib": max(peaks["evaluation"], default=""),
            "recorded_screen_attempts": counts["screen"], "recorded_evaluation_attempts": counts["evaluation"],
            "candidate_id": candidate_id, "case_id": case_id, "model_family": family, "dataset": dataset,
        })  # fmt: skip

    def slot(self, case_id: str, candidate_id: str, level: str, role: str, seed: int, outcome: str) -> list[Row]:
        slot_id = f"decision-{candidate_id}-s{seed}"
        self.matrix.append(_matrix_row(slot_id, case_id, candidate_id, level, role, seed))
        if outcome == "none":
            row = {"slot_id": slot_id, "job_id": str(next(self.jobs)), "status": "failed", "process_started": False,
                   "error": "The allocation ended before a process was started"}  # fmt: skip
            self.allocations.append(row)
            return []
        tries = ["port_binding_collision", "within"] if outcome == "repaired" else [outcome]
        return [
            self.attempt(case_id, candidate_id, slot_id, role, seed, index, one)
            for index, one in enumerate(tries, start=1)
        ]

    def attempt(
        self, case_id: str, candidate_id: str, slot_id: str, role: str, seed: int, index: int, outcome: str
    ) -> Row:
        job = str(next(self.jobs))
        repair = outcome if outcome == "port_binding_collision" else ""
        completed = outcome in ("within", "above")
        failed = outcome in ("failure", "invalid_failure")
        peak = 2 * self.random.randint(*((16_000, 19_000) if outcome == "within" else (19_600, 20_400)))
        state = {"within": "within_margin", "above": "above_margin", "failure": "memory_failure"}.get(
            outcome, "unresolved"
        )
        attempt_id = f"{slot_id}-job{job}"
        invalid = "" if state != "unresolved" else f"ValueError: {repair or 'the environment record is missing'}"
        row = {
            "attempt_id": attempt_id, "attempt_index": index, "slot_id": slot_id, "candidate_id": candidate_id,
            "case_id": case_id, "role": role, "training_seed": seed, "job_id": job, "state": state,
            "known_memory_failure": failed, "peak_mib": f"{peak}.0" if completed else "",
            "completed_final_operations": completed, "wrapper_exit_code": 0 if completed else 1,
            "elapsed_seconds": "" if repair else 300 + self.random.random() * 200, "validation_error": invalid,
            "repair_reason": repair, "allocation_manifest": f"output/sample/pairs/{slot_id}/pair-{job}.json",
            "attempt_directory": f"output/sample/{slot_id}/attempt-{job}", "source_head": "7" * 40,
            "last_completed_step": "" if repair else 5 if completed else 0,
        }  # fmt: skip
        self.attempts.append(row)
        self.allocations.append(
            {"slot_id": slot_id, "job_id": job, "status": "complete", "process_started": True, "error": ""}
        )
        seen = STAGES if completed else STAGES[:1]
        for position, stage in enumerate(seen):
            self.stages.append({
                "attempt_id": attempt_id, "slot_id": slot_id, "candidate_id": candidate_id, "role": role,
                "phase": stage, "observed_peak_mib": f"{peak - 500 * abs(position - len(seen) // 2)}.0",
                "sampled_duration_seconds": 10 + self.random.random(), "completed_process": int(completed),
                "failure_kind": "rollout_init_memory" if failed else "",
            })  # fmt: skip
        self.work.append(_work_row(attempt_id, slot_id, candidate_id, role, completed, has_log=not repair))
        return row


def _work_row(attempt_id: str, slot_id: str, candidate_id: str, role: str, completed: bool, has_log: bool) -> Row:
    steps = 5 if completed else 0
    row: Row = {
        "attempt_id": attempt_id, "slot_id": slot_id, "candidate_id": candidate_id, "role": role,
        "logged_steps": steps, "maximum_logged_step": steps, "original_train_examples": 7473,
        "selected_before_filter": 7473, "train_examples_after_filter": 7473, "filtered_train_examples": 0,
        "positive_gradient_steps": steps, "steps_with_gradient_metric": steps, "cap_reaching_batches": 0,
        "batches_with_length_metrics": steps, "fixed_order_batches_per_epoch": 233,
        "fixed_order_distinct_train_examples_derived": 32 * steps, "fixed_order_wraps_derived": 0,
        "prompt_mean_over_logged_batches": 104.94375, "prompt_maximum_observed": 159.0,
        "prompt_minimum_observed": 70.0, "response_mean_over_logged_batches": 214.4828125,
        "response_maximum_observed": 1024.0, "response_minimum_observed": 62.0,
    }  # fmt: skip
    blank = [name for name in row if name.startswith(("prompt_", "response_"))] if not completed else []
    if not has_log:
        blank += [name for name in row if "examples" in name or name.startswith(("fixed_order", "selected"))]
    return row | dict.fromkeys(blank, "")


def _matrix_row(slot_id: str, case_id: str, candidate_id: str, level: str, role: str, seed: int) -> Row:
    family, name, dataset, _ = CASES[case_id]
    micro_batch, reservation = LEVELS[level]
    return {
        "experiment_id": slot_id, "run_group": "prospective_decision", "study_stage": "prospective_decision",
        "configuration_level": level, "model_family": family, "algorithm": "grpo", "dataset": dataset,
        "model": f"sample/{name}", "data_dir": f"data/{dataset}", "gpu_count": 2, "rollout_tp_size": 1,
        "actor_micro_batch": micro_batch, "rollout_logprob_micro_batch": 4, "ref_logprob_micro_batch": 4,
        "vllm_gpu_memory_utilization": reservation, "parameter_offload": False, "optimizer_offload": False,
        "free_cache_engine": True, "max_prompt_length": 1024, "max_response_length": 1024, "max_model_len": 2048,
        "max_num_seqs": 64, "rollout_n": 4, "train_batch_size": 32, "train_max_samples": -1, "val_max_samples": 32,
        "training_seed": seed, "total_training_steps": 5, "gpu_monitor_interval_ms": 100, "workload_name": "",
        "custom_reward_function_path": "", "custom_reward_function_name": "", "revision_study": "prospective_decision",
        "pair_id": slot_id, "condition": role, "period": 1, "candidate_id": candidate_id, "case_id": case_id,
        "seed_role": role, "save_freq": 5, "test_freq": 5, "val_before_train": False, "resume_mode": "disable",
        "max_actor_ckpt_to_keep": 1, "allocator_trace_enabled": True, "allocator_trace_sync": 1,
        "per_process_timeout_seconds": 1800,
    }  # fmt: skip


def add_admission(files: Files, random: Random) -> None:
    """Add the admission tables, the machine part of the protocol, and the collection summary."""
    study = _Study(random)
    for case_id in CASES:
        for level in LEVELS:
            study.candidate(case_id, level)
    for name, rows in {
        "admission_matrix": study.matrix, "admission_candidates": study.candidates,
        "admission_attempts": study.attempts, "admission_allocations": study.allocations,
        "admission_stages": study.stages, "admission_realized_work": study.work,
    }.items():  # fmt: skip
        files.table(name, rows)
    slots = [(screen, evaluations) for levels in OUTCOMES.values() for screen, evaluations in levels.values()]
    planned = [outcome for screen, evaluations in slots for outcome in (screen, *evaluations)]
    attempts = sum({"none": 0, "repaired": 2}.get(outcome, 1) for outcome in planned)
    evaluation_states = Counter(_states(evaluations)[0] for _, evaluations in slots)
    words = {
        "within": "within_margin",
        "repaired": "within_margin",
        "above": "above_margin",
        "failure": "memory_failure",
    }
    states = Counter(words.get(outcome, "unresolved") for outcome in planned if outcome != "none")
    states["unresolved"] += planned.count("repaired")
    place = "Admission study"
    for table, grain, rows in (
        ("admission_candidates", "candidates", len(slots)), ("admission_attempts", "attempts", attempts),
        ("admission_realized_work", "realized_work", attempts),
        ("admission_allocations", "allocations", attempts + planned.count("none")),
    ):  # fmt: skip
        files.expect(table, f"admission.{grain}", "rows", {"": rows}, place)
    files.expect("admission_candidates", "admission.candidates", "evaluation_state", evaluation_states, place)
    files.expect("admission_attempts", "admission.attempts", "state", states, place)
    files.document(BASE + "protocol.json", {
        "protocol_version": "decision-1.0", "screen_seed": SCREEN, "evaluation_seeds": list(EVALUATION),
        "memory_limit_mib": 38_912, "additional_donor_guard_mib": 2_048, "budgets_per_case": [0, 1, 2, 3],
        "cases": [
            {
                "case_id": case_id, "model_family": CASES[case_id][0], "dataset": CASES[case_id][2],
                "candidates": [
                    {
                        "candidate_id": f"{case_id}-{level}", "configuration_level": level,
                        "actor_micro_batch": LEVELS[level][0], "reservation": LEVELS[level][1],
                        "slot_ids": {
                            "screen": [f"decision-{case_id}-{level}-s{SCREEN}"],
                            "evaluation": [f"decision-{case_id}-{level}-s{seed}" for seed in EVALUATION],
                        },
                    }
                    for level in LEVELS
                ],
                "query_order": [f"{case_id}-{level}" for level in LEVELS],
            }
            for case_id in CASES
        ],
    })  # fmt: skip
    files.document(BASE + "results/collection_summary.json", {
        "planned_slots": len(planned), "recorded_attempts": attempts, "attempt_states": dict(states),
        "hidden_evaluation_states": dict(evaluation_states),
    })  # fmt: skip
