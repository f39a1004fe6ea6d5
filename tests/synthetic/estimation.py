"""The 7B panel and its follow-up on larger hosts (release format 3.3): pairs of a two- and a four-device process.

Between them the settings show every way a process can end: failure, completion, host memory, early set-up, not started.
"""

from collections import Counter
from random import Random

from tests.synthetic.files import Files, Row
from tests.synthetic.historical import CAPACITY, LIMIT

# (workload, devices) → how its three seeds ended
PANELS = {
    "larger_models": ("larger_model", "estimation", "est", "prospective_estimation", 150, {
        ("gsm8k", 2): ["failure", "failure", "failure"], ("gsm8k", 4): ["within", "within", "within"],
        ("math", 2): ["failure", "failure", "host"], ("math", 4): ["within", "not_started", "setup"],
        ("code_heavy_tail", 2): ["within", "within", "within"], ("code_heavy_tail", 4): ["within", "above", "within"],
    }),
    "expanded_host": ("expanded_host", "host_capacity", "host", "estimation_host_capacity", 160, {
        ("gsm8k", 2): ["failure", "failure", "failure"], ("gsm8k", 4): ["unproved", "unproved", "unproved"],
        ("math", 2): ["within", "within", "within"], ("math", 4): ["within", "within", "unproved"],
    }),
}  # fmt: skip
ELIGIBLE = ("failure", "within", "above")
# failure kind, failure stage, what the runner saw, validation error
INELIGIBLE = {
    "host": ("vllm_executor_failure", "training", "infrastructure_invalid", "ValueError: Non-memory failure"),
    "setup": ("", "device_preflight", "infrastructure_invalid", "ValueError: Contamination evidence is invalid"),
    "not_started": ("", "not_started", "not_launched", ""),
    "unproved": ("", "training", "infrastructure_invalid", "ValueError: No exact one-step record"),
}
JOB_DIGITS = {"gsm8k": 0, "math": 1, "code_heavy_tail": 2}
STATES = {"failure": "memory_failure", "within": "within_margin", "above": "above_margin"}


def _process(panel: str, workload: str, gpus: int, index: int, outcome: str, random: Random) -> Row:
    _, _, prefix, group, first_seed, _ = PANELS[panel]
    seed = first_seed + 1 + index
    configuration, pair = f"{prefix}-qwen25-7b-{workload}-c2-{gpus}gpu", f"{prefix}-qwen25-7b-{workload}-c2-s{seed}"
    slot, job = f"{pair}-{gpus}gpu", str(7_600_000 + 1_000 * len(prefix) + 10 * seed + JOB_DIGITS[workload])
    eligible, completed, started = outcome in ELIGIBLE, outcome in ("within", "above"), outcome != "not_started"
    peak = {"failure": 28_882, "within": 33_000 + 2 * random.randint(0, 900), "above": 39_002}.get(outcome)
    seconds = 0.0 if not started else 90 + random.random() * 200
    kind, stage, seen, invalid = INELIGIBLE.get(
        outcome, ("rollout_init_memory" if outcome == "failure" else "", "training" if outcome == "failure" else "",
                  "memory_failure" if outcome == "failure" else "completed", ""),
    )  # fmt: skip
    unknown_cost = outcome == "setup"  # the span of that invocation was not recorded
    row: Row = {
        "allocation_gpu_count": 4, "artifact_path": f"output/{group}/{slot}/attempt-{job}" if started else "",
        "completed": completed, "completed_peak_mib": f"{peak}.0" if completed else "",
        "configuration_id": configuration, "configuration_level": "c2", "dataset": workload, "dispatched": started,
        "durable_terminal_record_present": True, "eligible": eligible, "expected_execution_commit": "d" * 40,
        "experiment_id": slot, "failure_kind": kind, "failure_stage": stage,
        "invocation_elapsed_seconds": "" if unknown_cost else seconds,
        "invocation_id": f"{slot}-j{job}" if started else "",
        "invocation_reservation_gpu_seconds": "" if unknown_cost else 4 * seconds, "job_id": job if started else "",
        "known_margin_exceedance": outcome == "above", "known_memory_failure": outcome == "failure",
        "launched": started, "observed_task_peak_mib": f"{peak}.0" if eligible else "", "online_status": seen,
        "pair_id": pair, "period": 1 if (gpus == 2) == (index % 2 == 0) else 2,
        "reason": "" if started else "The allocation was another than planned",
        "state": STATES.get(outcome, "unresolved"), "task_gpu_count": gpus,
        "task_gpu_seconds": "" if unknown_cost else gpus * seconds,
        "task_runtime_seconds": int(seconds) if eligible else "", "training_seed": seed,
        "validation_errors": f'["{invalid}"]' if invalid else "[]",
        "worker_initialization": "complete" if eligible else "",
    }  # fmt: skip
    if panel == "expanded_host":
        del row["reason"]  # the column exists only where a slot was not started
    return row


def _configuration(processes: list[Row]) -> Row:
    first = processes[0]
    eligible = [row for row in processes if row["eligible"]]
    peaks = [float(str(row["completed_peak_mib"])) for row in processes if row["completed"]]
    resolved = len(eligible) == 3
    states = {row["state"] for row in eligible}
    predicted = 46_461.218916058904 if first["task_gpu_count"] == 2 else 36_751.70456713468
    regression = "memory_failure" if predicted > CAPACITY else "above_margin" if predicted > LIMIT else "within_margin"
    donor = first["dataset"] != "math"
    state = (
        next((s for s in ("memory_failure", "above_margin", "within_margin") if s in states), "")
        if resolved
        else "unresolved"
    )
    return {
        "all_three_seeds_eligible": resolved, "completed_peak_mib": max(peaks) if len(peaks) == 3 else "",
        "completed_processes": len(peaks), "component_regression_predicted_peak_mib": predicted,
        "component_regression_predicted_state": regression,
        "component_regression_unscored_approval": not resolved and regression == "within_margin",
        "configuration_id": first["configuration_id"], "configuration_level": "c2",
        "donor_copy_predicted_peak_mib": 33_108.0 if donor else "",
        "donor_copy_predicted_state": "within_margin" if donor else "memory_failure",
        "donor_copy_unscored_approval": not resolved and donor, "eligible_seed_count": len(eligible),
        "eligible_seeds": ";".join(str(row["training_seed"]) for row in eligible), "gpu_count": first["task_gpu_count"],
        "known_margin_exceedance": any(row["known_margin_exceedance"] for row in eligible),
        "known_memory_failure": any(row["known_memory_failure"] for row in eligible),
        "logistic_predicted_peak_mib": "", "logistic_predicted_state": "memory_failure",
        "logistic_unscored_approval": False, "maximum_known_completed_peak_mib": max(peaks, default=""),
        "model": "Qwen/Qwen2.5-7B-Instruct", "observed_state": state, "required_seeds": 3, "unresolved": not resolved,
        "unresolved_seeds": ";".join(str(row["training_seed"]) for row in processes if not row["eligible"]),
        "workload": first["dataset"],
    }  # fmt: skip


def _pair(two: Row, four: Row) -> Row:
    both = bool(two["completed"] and four["completed"])

    def difference(name: str) -> object:
        return float(str(four[name])) - float(str(two[name])) if both else ""

    return {
        "both_completed": both, "both_eligible": bool(two["eligible"] and four["eligible"]), "configuration_level": "c2",
        "dataset": two["dataset"], "first_task_gpu_count": 2 if two["period"] == 1 else 4,
        "four_gpu_state": four["state"], "pair_id": two["pair_id"],
        "peak_difference_4_minus_2_mib": difference("completed_peak_mib"),
        "runtime_difference_4_minus_2_seconds": difference("task_runtime_seconds"),
        "training_seed": two["training_seed"], "two_gpu_state": two["state"],
    }  # fmt: skip


def _accounting(processes: list[Row]) -> str:
    """Headerless scheduler lines: outer job, batch step and extern step of each job."""
    lines = []
    for index, job in enumerate(sorted({str(row["job_id"]) for row in processes if row["job_id"]})):
        span = f"2026-09-15T10:{index:02d}:00|2026-09-15T10:{index:02d}:50|50"
        for suffix, name in (("", "sample-matched"), (".batch", "batch"), (".extern", "extern")):
            lines.append(f"7600000_{index}{suffix}|{job}{suffix}|{name}|COMPLETED|0:0|{span}|gres/gpu=4,node=1|node01|")
    return "\n".join(lines) + "\n"


def add_estimation(files: Files, random: Random) -> None:
    """Add both panels: configurations, processes, pairs, accounting and summary."""
    for panel, (prefix, folder, _, _, _, outcomes) in PANELS.items():
        processes = {
            (workload, gpus, index): _process(panel, workload, gpus, index, outcome, random)
            for (workload, gpus), seeds in outcomes.items()
            for index, outcome in enumerate(seeds)
        }
        rows = list(processes.values())
        configurations = [_configuration([processes[w, g, index] for index in range(3)]) for w, g in outcomes]
        pairs = [_pair(row, processes[w, 4, index]) for (w, gpus, index), row in processes.items() if gpus == 2]
        files.table(f"{prefix}_configurations", configurations)
        files.table(f"{prefix}_processes", rows)
        files.table(f"{prefix}_pairs", pairs)
        base = f"benchmark/{folder}/"
        files.texts[base + "allocation_accounting_sacct.psv"] = _accounting(rows)
        ends = Counter(outcome for seeds in outcomes.values() for outcome in seeds)
        eligible = sum(ends[outcome] for outcome in ELIGIBLE)
        unresolved = [seeds for seeds in outcomes.values() if any(outcome not in ELIGIBLE for outcome in seeds)]
        files.document(base + "results/summary.json", {
            "schema_version": 1, "planned_processes": len(rows), "planned_pairs": len(pairs),
            "planned_configurations": len(outcomes), "eligible_processes": eligible,
            "completed_processes": ends["within"] + ends["above"], "unresolved_processes": len(rows) - eligible,
        })  # fmt: skip
        place = "7B panels"
        for table, count in (
            ("configurations", len(outcomes)),
            ("processes", 3 * len(outcomes)),
            ("pairs", len(pairs)),
        ):
            files.expect(f"{prefix}_{table}", f"{panel}.{table}", "rows", {"": count}, place)
        files.expect(f"{prefix}_configurations", f"{panel}.configurations", "observed_state",
                     {"unresolved": len(unresolved)}, place)  # fmt: skip
        files.expect(f"{prefix}_processes", f"{panel}.processes", "eligible", {"true": eligible}, place)
