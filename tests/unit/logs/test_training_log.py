"""Markers, metrics and the ordered diagnosis of release format 2.4."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.logs.training_log import (
    DIAGNOSIS,
    diagnose,
    read_training_log,
    without_control_sequences,
)  # fmt: skip
from loaders.records.scheduler import read_sacct_line
from loaders.registry import read_seed

CASES = {
    "AttributeError: 'Worker' object has no attribute '_mark_phase'": "instrumentation_missing_phase_hook",
    "OSError: Unable to load vocabulary from file": "model_cache_vocabulary_load",
    "429 Too Many Requests for url https://HuggingFace.co": "hf_rate_limit",
    "AssertionError: Train dataloader is empty!": "empty_dataloader",
    "Total available GPUs 1 is less than total desired GPUs 2": "insufficient_allocated_gpus",
    "DistNetworkError: EADDRINUSE": "distributed_port_collision",
    "TCPStore: address already in use": "distributed_port_collision",
    "er.n_gpus_per_node=2: command not found": "launcher_mutation_race",
    "CUDA out of memory\n  in actor_wg.update_weights(": "weight_sync_oom",
    "max seq len 4096 larger than KV cache": "rollout_init_memory",
    "ValueError: No available memory for the cache blocks.": "rollout_init_memory",
    "Free memory on device cuda:0 is less than desired GPU memory utilization": "rollout_init_memory",
    "torch.OutOfMemoryError: out of memory while Capturing CUDA graphs": "rollout_init_memory",
    "torch.OutOfMemoryError: CUDA out of memory.": "cuda_oom",
    "RuntimeError: Executor failed.": "vllm_executor_failure",
    "slurmstepd: time limit reached": "timeout",
    "ModuleNotFoundError: No module named 'x'": "environment",
    "Error executing job with overrides: []": "configuration",
    "Segmentation fault": "runtime",
    "": "runtime",
}


@pytest.mark.parametrize(("text", "kind"), CASES.items())
def test_a_failure_is_diagnosed_by_its_words(text, kind):
    assert diagnose(text.encode()).kind == kind


def test_there_are_sixteen_rules_and_the_first_wins():
    assert len(DIAGNOSIS) == 16
    text = "\n".join(CASES).encode()
    assert diagnose(text).rule == 1
    assert diagnose(b"out of memory\nexecutor failed\ntimed out").kind == "cuda_oom"
    assert diagnose(b"compile_or_warm_up_model out of memory update_weights").kind == "rollout_init_memory"
    assert diagnose(b"429 too many requests").kind == "runtime"


def test_host_memory_is_no_device_failure():
    """Bad input S2: the scheduler says OUT_OF_MEMORY, the log has no CUDA message."""
    row = read_sacct_line(
        "7|7|demo|OUT_OF_MEMORY|0:125|2026-09-15T10:00:00|2026-09-15T10:05:00|300|gres/gpu=4|node01|None"
    )
    kind = diagnose(b"ray.exceptions.RayTaskError: Executor failed.").kind
    assert (row["state"], kind) == ("OUT_OF_MEMORY", "vllm_executor_failure")
    classes = {row["failure_kind"]: row["memory_class"] for row in read_seed("failure_kinds")}
    assert classes[kind] == "undetermined"


def events(text: str) -> list[tuple]:
    data = without_control_sequences(text.encode())
    return [event[:5] for event in read_training_log(data, 1000) if event.event != "diagnosis"]


def test_steps_and_their_metrics_are_read_with_their_line():
    metrics = "response_length/mean:12.5 - x/y:3 - actor/grad_norm:1e-3"
    text = f"start\n\x1b[36m(Task pid=1)\x1b[0m step:1 - training/global_step:1 - {metrics}\n"
    assert events(text) == [
        (2, "completed_step", "1", None, None),
        (2, "step", "1", "exact", None),
        (2, "metric", "1", "response_length/mean", "12.5"),
        (2, "metric", "1", "actor/grad_norm", "1e-3"),
    ]


@pytest.mark.parametrize(
    "text",
    ["xtraining/global_step:1", "training/global_step:1.5", "training/global_step:1x", "a/training/global_step:1"],
)
def test_a_glued_step_is_marked(text):
    assert events(text)[0][3] == "glued"


@pytest.mark.parametrize("text", ["global_step:7 -", "substep:7 -", "step:7-", "step:x -"])
def test_no_step_is_seen_in_other_words(text):
    assert [event for event in events(text) if event[1] == "completed_step"] == []


def test_dataset_lengths_are_the_first_of_each_kind():
    text = "filter dataset len: 5\ndataset len: 7\ndataset len: 8\nfilter dataset len: 9\n"
    assert events(text) == [(1, "filter_dataset_len", None, None, "5"), (2, "dataset_len", None, None, "7")]


def test_settings_are_read_once_each_and_the_digit_rule_is_the_readers():
    text = "'total_training_steps': 1, 'save_freq': -1}\n'total_training_steps': -1\n'total_training_steps': 1\n"
    assert events(text) == [
        (1, "setting", None, "total_training_steps", "1"),
        (1, "setting", None, "save_freq", "-1"),
        (2, "setting", None, "total_training_steps", "-1"),
    ]


def test_the_device_memory_message_is_case_sensitive():
    assert [
        event[3] for event in events("x\ntorch.cuda.OutOfMemoryError: y") if event[1] == "device_memory_message"
    ] == ["torch.cuda.OutOfMemoryError"]
    assert [event for event in events("cuda out of memory") if event[1] == "device_memory_message"] == []


def test_the_deciding_phrases_are_told_with_their_lines():
    found = list(read_training_log(b"a\nb CUDA out of memory c\nin actor_wg.update_weights(\nout of memory\n", 1000))
    assert [(event.line_number, event.name, event.text) for event in found if event.event == "failure_phrase"] == [
        (2, "out of memory", "b CUDA out of memory c"),
        (3, "actor_wg.update_weights(", "in actor_wg.update_weights("),
    ]
    assert found[-1][:5] == (4, "diagnosis", None, "weight_sync_oom", "8")


def test_the_watchdog_is_seen():
    assert events("x\nfatal_engine_watchdog: killed\n") == [(2, "watchdog", None, None, None)]


def test_many_different_control_sequences_are_all_removed():
    text = "".join(f"\x1b[{number}mx" for number in range(50)) + "\x1b[2K\x1b[?25hend"
    assert without_control_sequences(text.encode()) == b"x" * 50 + b"end"
    assert without_control_sequences(b"\x1b[") == b"\x1b["


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1", "cp1252"])
def test_odd_encodings_are_shown_as_escapes(encoding):
    data = "é training/global_step:1 – ok\n".encode(encoding, "replace")
    for event in read_training_log(data, 1000):
        event.text.encode()


@given(st.binary(max_size=400))
def test_any_bytes_are_read(data):
    for text in (data, b"training/global_step:1 " + data + b"\nout of memory " + data):
        for event in read_training_log(without_control_sequences(text), 64):
            assert len(event.text) <= 64 * 4


def test_a_line_of_a_hundred_megabytes_is_cut_not_held_in_rows():
    data = b"x" * 50_000_000 + b"CUDA out of memory" + b"y" * 50_000_000
    found = list(read_training_log(data, 1000))
    assert sum(len(event.text) for event in found) < 5000
    assert found[-1].name == "cuda_oom"
