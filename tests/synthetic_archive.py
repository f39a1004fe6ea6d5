"""Small archives of raw evidence for tests, in the layouts of release format 2: every value here is invented."""

import csv
import hashlib
import io
import json
import tarfile
from pathlib import Path

import zstandard

from loaders.member_manifest import HEADER, MANIFEST_PATH, UNLISTED

START_NS = 1_790_000_000_100_000_001
INTERVAL_NS = 100_000_000
SLOT = "output/revision_topology/rev-topology-demo-c3-s113-four_gpu"
GROUP = "output/strengthening_factorial"


class Link(str):
    """A symbolic link, as its link text."""


class HardLink(str):
    """A hard link, as the path of its target."""


def trace_files(
    memory: list[tuple[int, ...]], steps: list[int] | None = None, stages: list[str] | None = None
) -> dict[str, bytes]:
    """The three traces of one attempt whose samples read `memory`, by their name's first part."""
    steps = steps or [1] * len(memory)
    stages = stages or ["rollout"] * len(memory)
    phase, wide, telemetry = [], [], ["timestamp_ns,step,phase,gpu_index,memory_used_mib,gpu_utilization_pct\n"]
    for sample, (reading, step, stage) in enumerate(zip(memory, steps, stages, strict=True)):
        time = START_NS + sample * INTERVAL_NS
        cells = ",".join(map(str, reading))
        phase.append(f"{time},{step},{stage},{cells}\n")
        wide.append(f"{time},{cells}\n")
        telemetry += [f"{time},{step},{stage},{device},{value},87\n" for device, value in enumerate(reading)]
    return {
        "phase-memory": "".join(phase).encode(),
        "gpu-memory": "".join(wide).encode(),
        "gpu-telemetry": "".join(telemetry).encode(),
    }


def trial_record(job: str, peak: int, **changes: object) -> bytes:
    """A trial record with every key of release format 2.2."""
    record = {
        "algorithm": "grpo", "job_id": job, "exit_code": 0, "elapsed_seconds": 214, "peak_gpu_memory_mib": peak,
        "model": "Qwen/Qwen2.5-3B-Instruct", "gpu_count": 2, "rollout_tp_size": 1, "actor_micro_batch": 8,
        "rollout_logprob_micro_batch": 4, "ref_logprob_micro_batch": 4, "vllm_gpu_memory_utilization": 0.6,
        "parameter_offload": "False", "optimizer_offload": "False", "free_cache_engine": "True",
        "data_dir": "data/gsm8k",
        "max_prompt_length": 1024, "max_response_length": 2048, "max_model_len": 3072, "max_num_seqs": 64,
        "rollout_n": 2,
        "train_batch_size": 32, "dataloader_num_workers": 0, "training_seed": 41, "gpu_monitor_interval_ms": 100,
        "run_log": "", "phase_memory_csv": "", "gpu_telemetry_csv": "", "allocator_trace_dir": "",
        "environment_json": "",
        "response_length_trace": "",
    }  # fmt: skip
    return json.dumps(record | changes).encode()


def environment_record(**changes: object) -> bytes:
    record = {
        "captured_at_utc": "2026-09-15T10:00:00+00:00",
        "host": {"hostname": "node01", "platform": "linux", "kernel": "6.1"},
        "gpus_csv": '0, NVIDIA A100-SXM4-40GB, GPU-00000000-0000-0000-0000-000000000000, 610.43.02, "40960 MiB"\n'
        '1, NVIDIA A100-SXM4-40GB, GPU-00000000-0000-0000-0000-000000000001, 610.43.02, "40960 MiB"',
        "software": {"python": "3.12.3", "packages": {"torch": "2.10.0+cu129"}, "cuda_available": True},
        "repository": {"head": "0" * 40, "dirty": False},
    }
    return json.dumps(record | changes, indent=2, sort_keys=True).encode()


LOG = b"\x1b[32mstep:1 - training/global_step:1 - response_length/mean:250.5 - actor/grad_norm:1e-3\x1b[0m\nbye\n"


def attempt(folder: str, job: str, memory: list[tuple[int, ...]] | None = None, **trial: object) -> dict[str, bytes]:
    """The files of one completed attempt in `folder`."""
    memory = memory or [(1204, 1188), (30120, 30118), (36502, 36480)]
    peak = max(max(reading) for reading in memory)
    files = {f"{folder}/{kind}-{job}.csv": content for kind, content in trace_files(memory).items()}
    files[f"{folder}/trial-{job}.json"] = trial_record(job, peak, **trial)
    files[f"{folder}/training-{job}.log"] = LOG
    files[f"{folder}/environment-{job}.json"] = environment_record()
    return dict(sorted(files.items()))


def linked_attempt(job: str = "7000001", **options: object) -> dict[str, bytes | Link]:
    """An attempt of the nested layout with its slot-level link."""
    return attempt(f"{SLOT}/attempt-{job}", job, **options) | {
        f"{SLOT}/trial-{job}.json": Link(f"attempt-{job}/trial-{job}.json")
    }


def manifest(members: dict[str, bytes], category: str = "scientific_artifact_path") -> bytes:
    """The manifest of `members`; a link is listed with the content it leads to."""
    out = io.StringIO(newline="")
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(HEADER)
    for path, content in sorted(members.items()):
        if path not in UNLISTED:
            data = content
            if isinstance(content, Link):
                data = members[f"{path.rsplit('/', 1)[0]}/{content}"]
            elif isinstance(content, HardLink):
                data = members[content]
            rows.writerow([path, category, len(data), hashlib.sha256(data).hexdigest()])
    return out.getvalue().encode()


def with_manifest(members: dict[str, bytes]) -> dict[str, bytes]:
    return members | {MANIFEST_PATH: manifest(members)}


def member(
    name: str, content: bytes | Link | HardLink = b"", kind: bytes | None = None
) -> tuple[tarfile.TarInfo, bytes]:
    """One tar member; `kind` overrules the type that `content` implies."""
    info = tarfile.TarInfo(name)
    if isinstance(content, str):
        info.type = tarfile.LNKTYPE if isinstance(content, HardLink) else tarfile.SYMTYPE
        info.linkname, content = str(content), b""
    info.size = len(content)
    if kind is not None:
        info.type = kind
    return info, content


def tar_bytes(members: dict[str, bytes] | list[tuple[str, bytes]], form: int = tarfile.PAX_FORMAT) -> bytes:
    """A plain tar; a list of pairs may name a member twice."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, content in members.items() if isinstance(members, dict) else members:
            info, data = member(name, content)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zst(data: bytes, frame_bytes: int | None = None, level: int = 1) -> bytes:
    """`data` compressed in one frame, or in frames of `frame_bytes` of it."""
    compressor = zstandard.ZstdCompressor(level=level, write_checksum=True)
    step = frame_bytes or len(data) or 1
    return b"".join(compressor.compress(data[start : start + step]) for start in range(0, max(len(data), 1), step))


def write_archive(folder: Path, members: dict[str, bytes], name: str = "demo.tar.zst", sidecar: bool = True) -> Path:
    """An archive with its manifest, compressed, and its sidecar beside it."""
    return write_bytes(folder, zst(tar_bytes(with_manifest(members))), name, sidecar)


def write_bytes(folder: Path, content: bytes, name: str = "demo.tar.zst", sidecar: bool = True) -> Path:
    path = folder / name
    path.write_bytes(content)
    if sidecar:
        (folder / f"{name}.sha256").write_text(f"{hashlib.sha256(content).hexdigest()}  {name}\n")
    return path


def write_tree(root: Path, members: dict[str, bytes]) -> Path:
    """The members as files below `root`."""
    for path, content in members.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            target.symlink_to(content)
        else:
            target.write_bytes(content)
    return root


def tables(batches: object) -> dict[str, list[dict[str, object]]]:
    """All rows of a load, by table."""
    rows: dict[str, list[dict[str, object]]] = {}
    for table, batch in batches:
        rows.setdefault(table, []).extend(batch.to_pylist())
    return rows
