"""Read one environment record: the software, container, checkout and devices an attempt ran with.

Source:  `environment-<job>.json` members (release format 2.5).
Yields:  one dict with the columns of COLUMNS, all text; `document` is the whole record as JSON. `read_devices` yields
         one
         dict for each line of its `gpus_csv`.
Units:   as written: bytes, nanoseconds, `40960 MiB` with the unit in the cell.
Missing: null and a missing key are None; a failed capture has its error in the `…_error` columns.
Errors:  RecordError.
"""

from collections.abc import Iterator

from loaders.records.json_text import at, read_object, text_of, to_json

_PLACES: dict[str, tuple[str, ...]] = {
    "captured_at_utc": ("captured_at_utc",),
    "hostname": ("host", "hostname"),
    "platform": ("host", "platform"),
    "kernel": ("host", "kernel"),
    "slurm_job_id": ("slurm", "SLURM_JOB_ID"),
    "slurm_array_job_id": ("slurm", "SLURM_ARRAY_JOB_ID"),
    "slurm_array_task_id": ("slurm", "SLURM_ARRAY_TASK_ID"),
    "slurm_job_nodelist": ("slurm", "SLURM_JOB_NODELIST"),
    "slurm_gpus": ("slurm", "SLURM_GPUS"),
    "cuda_visible_devices": ("slurm", "CUDA_VISIBLE_DEVICES"),
    "gpus_csv": ("gpus_csv",),
    "gpus_capture_error": ("gpus_capture_error",),
    "container_sha256": ("container", "sha256"),
    "python": ("software", "python"),
    "torch": ("software", "packages", "torch"),
    "vllm": ("software", "packages", "vllm"),
    "transformers": ("software", "packages", "transformers"),
    "ray": ("software", "packages", "ray"),
    "flash_attn": ("software", "packages", "flash-attn"),
    "accelerate": ("software", "packages", "accelerate"),
    "torch_cuda": ("software", "torch_cuda"),
    "cudnn": ("software", "cudnn"),
    "nccl": ("software", "nccl"),
    "cuda_available": ("software", "cuda_available"),
    "software_capture_error": ("software", "capture_error"),
    "repository_head": ("repository", "head"),
    "repository_head_error": ("repository", "head_error"),
    "repository_dirty": ("repository", "dirty"),
    "requested_model": ("model", "requested_model"),
    "resolved_revision": ("model", "resolved_revision"),
}
COLUMNS = (*_PLACES, "document")
DEVICE_FIELDS = ("gpu_index", "device_name", "uuid", "driver_version", "capacity")


def read_environment(data: bytes) -> dict[str, str | None]:
    """The environment's columns."""
    record = read_object(data)
    row = {column: text_of(at(record, *place)) for column, place in _PLACES.items()}
    row["document"] = to_json(record)
    return row


def read_devices(gpus_csv: str | None) -> Iterator[dict[str, str | None]]:
    """The devices in a `gpus_csv` text, in its order: `index, name, uuid, driver, 40960 MiB` on each line."""
    for line in (gpus_csv or "").splitlines():
        fields = [text.strip().strip('"') for text in line.split(",")]
        if len(fields) == len(DEVICE_FIELDS):
            yield dict(zip(DEVICE_FIELDS, fields, strict=True))
