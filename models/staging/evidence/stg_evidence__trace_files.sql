-- One row per trace file. Of an attempt's three traces one is the source of points; the others are compared with it.
with source as ({{ shown_evidence('trace_files') }})

select
    file_id, experiment_id, job_id, study, trace_kind, is_point_source, member_path, sha256, device_count, point_count,
    rejected_count, duplicate_count, first_timestamp_ns, last_timestamp_ns,
    cast(max_memory_mib as decimal(18, 6)) as max_memory_mib, terminal_step, terminal_stage, status,
    agrees_with_phase_memory, agrees_with_gpu_memory, agrees_with_gpu_telemetry, archive_sha256, release_id
from source
