"""Read one trial record.

Source:  `trial-<job>.json` members (release format 2.2): one JSON object, written when the launcher reached its end.
Yields:  one dict: every column of COLUMNS, all text, and `missing_keys` and `unknown_keys`.
Units:   as written: seconds, MiB, milliseconds, tokens.
Missing: null and a missing key are None; `missing_keys` tells them apart. Text such as `NaN` stays text.
Errors:  RecordError.

The offload flags are the strings `True` and `False` in the record; they stay text like everything else.
"""

from loaders.records.json_text import read_object, text_of, to_json

KEYS = (
    "algorithm", "job_id", "exit_code", "elapsed_seconds", "peak_gpu_memory_mib", "model", "gpu_count",
    "rollout_tp_size",
    "actor_micro_batch", "rollout_logprob_micro_batch", "ref_logprob_micro_batch", "vllm_gpu_memory_utilization",
    "parameter_offload", "optimizer_offload", "free_cache_engine", "data_dir", "max_prompt_length",
    "max_response_length",
    "max_model_len", "max_num_seqs", "rollout_n", "train_batch_size", "dataloader_num_workers", "training_seed",
    "gpu_monitor_interval_ms", "run_log", "phase_memory_csv", "gpu_telemetry_csv", "allocator_trace_dir",
    "environment_json",
    "response_length_trace",
)  # fmt: skip
# Recorded absolute paths of the cluster; loaders.paths maps them into the release.
PATH_KEYS = (
    "run_log", "phase_memory_csv", "gpu_telemetry_csv", "allocator_trace_dir", "environment_json",
    "response_length_trace", "data_dir",
)  # fmt: skip
COLUMNS = (*KEYS, "missing_keys", "unknown_keys")


def read_trial(data: bytes) -> dict[str, str | None]:
    """The trial's columns."""
    record = read_object(data)
    row = {key: text_of(record.get(key)) for key in KEYS}
    unknown = {key: value for key, value in record.items() if key not in row}
    row["missing_keys"] = ",".join(key for key in KEYS if key not in record)
    row["unknown_keys"] = to_json(unknown) if unknown else None
    return row
