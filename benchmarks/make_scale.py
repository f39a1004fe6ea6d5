"""Write an archive of the real shape for benchmarks: about 21,000 members, 1.4 GB of content, 170 MB compressed.

    python benchmarks/make_scale.py FOLDER [--scale 1.0]

640 attempts in the layouts of release format 2.1, at least 5 million points and 15 million telemetry rows, the small
members of uncounted groups around them, the manifest and a sidecar. Every value is invented, from a fixed seed. Never
commit it.
"""

import argparse
import hashlib
import io
import json
import random
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import zstandard

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from loaders.member_manifest import HEADER, MANIFEST_PATH
from tests.synthetic_archive import environment_record, trial_record

ATTEMPTS, MEMBERS = 640, 20_800
POINTS = 8_480  # of one attempt, on average
STAGES = (("rollout", 55), ("reference_logprob", 12), ("actor_update", 48), ("weight_sync", 9), ("idle", 6))
GROUPS = (
    # run group, attempts in 640, devices, steps, nested
    ("benchmark_v2_cross_family_confirmatory", 150, 2, 1, False),
    ("major_revision_cross_model_confirmatory", 66, 2, 1, False),
    ("strengthening_factorial", 144, 2, 1, False),
    ("strengthening_same_node_residency", 40, 2, 1, False),
    ("strengthening_temporal_phases", 30, 4, 100, False),
    ("revision_instrumentation", 72, 4, 1, True),
    ("revision_temporal", 24, 4, 40, True),
    ("revision_topology", 54, 4, 1, True),
    ("review_instrumentation_batch", 24, 4, 1, True),
    ("prospective_decision", 36, 4, 5, True),
)
UNCOUNTED = ("phase_screening", "benchmark_code", "benchmark_3b", "multistep", "major_revision_residency", "grpo_smoke")
LOG_LINES = (
    "INFO {d} [kv_cache_utils.py:1291] GPU KV cache size: {n} tokens",
    "INFO {d} [kv_cache_utils.py:1296] Maximum concurrency for 3,072 tokens per request: {n}.{n}x",
    "Capturing CUDA graphs (mixed prefill-decode, PIECEWISE): {n}%|####      | {n}/67 [00:0{n}<00:0{n}, {n}.{n}it/s]",
    "WARNING {d} [cudagraph_dispatcher.py:{n}] max_num_batched_tokens={n} hf_overrides={{}} tokenizer_mode=auto",
    "After building fsdp actor, memory allocated (GB): {n}.{n}, reserved: {n}.{n}, device used/total: {n}/40",
    "  'actor_rollout_ref': {{'actor': {{'ppo_micro_batch_size_per_gpu': {n}, 'grad_clip': 1.0}}}}",
    "[Gloo] Rank {n} is connected to 1 peer ranks. Expected number of connected peer ranks is : 1",
)
METRICS = (
    "response_length/mean", "response_length/max", "response_length/min", "prompt_length/mean", "prompt_length/max",
    "prompt_length/min", "actor/grad_norm", "critic/score/mean", "timing_s/gen", "timing_s/update_actor",
    "perf/throughput",
)  # fmt: skip


def traces(chance: random.Random, points: int, devices: int, steps: int) -> tuple[dict[str, bytes], int]:
    """The three traces of an attempt, and its peak."""
    phase, wide, telemetry = [], [], ["timestamp_ns,step,phase,gpu_index,memory_used_mib,gpu_utilization_pct\n"]
    now = 1_790_000_000_000_000_000 + chance.randrange(10**15)
    stage, left, at, step = "initializing", 300, 0, 0
    level, peak = [chance.randrange(900, 1400)] * devices, 0
    for point in range(points):
        now += 100_000_000 + chance.randrange(-40_000, 160_000)
        left -= 1
        if left <= 0:
            stage, length = STAGES[at % len(STAGES)]
            at += 1
            left = length + chance.randrange(10)
            step = 1 + point * steps // points
            base = {"rollout": 30_000, "actor_update": 33_000, "idle": 9_000}.get(stage, 24_000)
            level = [base + chance.randrange(900) * 2 for _ in range(devices)]
        if chance.random() < 0.3:
            device = chance.randrange(devices)
            level[device] = max(500, level[device] + chance.randrange(-40, 44) * 2)
        prefix, readings = f"{now},{step},{stage},", ",".join(map(str, level))
        phase.append(f"{prefix}{readings}\n")
        wide.append(f"{now},{readings}\n")
        busy = chance.randrange(92, 101) if stage in ("rollout", "actor_update") else 0
        telemetry += [f"{prefix}{device},{value},{busy}\n" for device, value in enumerate(level)]
        peak = max(peak, *level)
    texts = {"gpu-memory": wide, "gpu-telemetry": telemetry, "phase-memory": phase}
    return {kind: "".join(lines).encode() for kind, lines in texts.items()}, peak


def training_log(chance: random.Random, lines: int, steps: int) -> bytes:
    """A log as Ray prints it, coloured prefix and all."""
    prefix = f"\x1b[36m(TaskRunner pid={chance.randrange(10**6)})\x1b[0m "
    day = "09-15 10:00:00"
    out = [
        f"{prefix}dataset len: 7473",
        f"{prefix}filter dataset len: 7190",
        f"{prefix}'total_training_steps': {steps},",
    ]
    for line in range(lines):
        out.append(prefix + LOG_LINES[line % len(LOG_LINES)].format(d=day, n=chance.randrange(10**4)))
    for step in range(1, steps + 1):
        metrics = " - ".join(f"{name}:{chance.random() * 1000:.6f}" for name in METRICS)
        out.append(f"{prefix}step:{step} - training/global_step:{step} - {metrics}")
    return "\n".join(out).encode() + b"\n"


def trial(chance: random.Random, job: str, folder: str, peak: int, devices: int) -> bytes:
    root = f"/mnt/proj3/open-35-44/verl/rl/{folder}"
    paths = {
        "run_log": f"{root}/training-{job}.log",
        "phase_memory_csv": f"{root}/phase-memory-{job}.csv",
        "gpu_telemetry_csv": f"{root}/gpu-telemetry-{job}.csv",
        "allocator_trace_dir": f"{root}/allocator-traces",
        "environment_json": f"{root}/environment-{job}.json",
    }
    return trial_record(job, peak, gpu_count=devices, training_seed=chance.randrange(200), **paths)


def environment(chance: random.Random, job: str, devices: int) -> bytes:
    gpus = "\n".join(
        f"{index}, NVIDIA A100-SXM4-40GB, GPU-{chance.getrandbits(32):08x}-0000-0000-0000-{chance.getrandbits(48):012x}"
        ', 610.43.02, "40960 MiB"'
        for index in range(devices)
    )
    container = {"sha256": f"{chance.getrandbits(256):064x}", "inspect": "org.label-schema: x\n" * 60}
    return environment_record(gpus_csv=gpus, slurm={"SLURM_JOB_ID": job}, container=container)


def allocator_trace(chance: random.Random) -> bytes:
    started = 1_790_000_000_000_000_000
    shared = {"phase": "actor_update", "pid": 4242, "rank": 0, "device": 0, "reserved_mib": 21_000.5, "error_type": ""}
    return b"".join(
        json.dumps(
            shared
            | {"started_ns": started + line * 10**9, "finished_ns": started + line * 10**9 + 5 * 10**8}
            | {"allocated_mib": chance.random() * 20_000, "max_allocated_mib": 20_500.25, "max_reserved_mib": 22_000.5}
        ).encode()
        + b"\n"
        for line in range(24)
    )


def members(scale: float, seed: int = 20261023) -> Iterator[tuple[str, bytes | str]]:
    """Every member; a text is a symbolic link. `scale` changes the number of attempts and members, not their sizes."""
    chance = random.Random(seed)
    job, made = 5_000_000, 0
    wanted = int(MEMBERS * scale)
    for group, count, devices, steps, nested in GROUPS:
        for slot in range(max(1, round(count * scale))):
            job += 1
            folder = f"output/{group}/{group.replace('_', '-')}-s{slot}"
            inner = f"{folder}/attempt-{job}" if nested else folder
            files, peak = traces(chance, POINTS + chance.randrange(-2_000, 2_000), devices, steps)
            files = {f"{inner}/{kind}-{job}.csv": content for kind, content in files.items()}
            files[f"{inner}/environment-{job}.json"] = environment(chance, str(job), devices)
            files[f"{inner}/training-{job}.log"] = training_log(chance, 1_200, steps)
            files[f"{inner}/trial-{job}.json"] = trial(chance, str(job), inner, peak, devices)
            if nested:
                files |= {
                    f"{inner}/allocator-traces/allocator-{rank}.jsonl": allocator_trace(chance)
                    for rank in range(devices)
                }
                yield from sorted(files.items())
                yield f"{folder}/trial-{job}.json", f"attempt-{job}/trial-{job}.json"
            else:
                yield from sorted(files.items())
            made += len(files) + nested
    filler = training_log(chance, 150, 1)
    for number in range(max(0, wanted - made - 1)):
        group, slot = UNCOUNTED[number % len(UNCOUNTED)], number // 6
        name = ("training-1.log", "environment-1.json", "trial-1.json", "launcher.log")[number % 4]
        noise = chance.randbytes(400).hex().encode()
        yield f"output/{group}/s{slot}/{number}/{name}", noise + filler[: chance.randrange(1_000, len(filler))]


def write(folder: Path, scale: float) -> Path:
    """Write the archive and its sidecar; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"scale-{scale:g}.tar.zst"
    rows, contents = [",".join(HEADER) + "\n"], {}
    count = size = 0
    compressor = zstandard.ZstdCompressor(level=7, threads=2, write_checksum=True)
    with (
        path.open("wb") as file,
        compressor.stream_writer(file, closefd=False) as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, content in members(scale):
            info = tarfile.TarInfo(name)
            if isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
                told = contents[f"{name.rsplit('/', 1)[0]}/{content}"]
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
                told = f"{len(content)},{hashlib.sha256(content).hexdigest()}"
                contents = {name: told} | (contents if "/attempt-" in name else {})
                size += len(content)
            rows.append(f"{name},scientific_artifact_path,{told}\n")
            count += 1
        manifest = "".join(rows).encode()
        info = tarfile.TarInfo(MANIFEST_PATH)
        info.size = len(manifest)
        archive.addfile(info, io.BytesIO(manifest))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(path.name + ".sha256").write_text(f"{digest}  {path.name}\n")
    print(f"{path}: {count + 1} members, {size / 1e6:.0f} MB of content, {path.stat().st_size / 1e6:.0f} MB compressed")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the archive and its sidecar are written")
    parser.add_argument("--scale", type=float, default=1.0, help="part of the real number of attempts and members")
    options = parser.parse_args()
    started = time.perf_counter()
    write(options.folder, options.scale)
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
