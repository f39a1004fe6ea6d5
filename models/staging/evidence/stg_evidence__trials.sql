-- One row per attempt with a trial record. A missing exit code counts as failure, as the release's reader has it.
with source as (
    select *, member_path as source_path, 1 as row_number
    from ({{ shown_evidence('trials') }})
)

select
    experiment_id, job_id, study, run_group, member_path, archive_sha256,
    coalesce({{ whole('exit_code') }}, 1) as exit_code, {{ whole('training_seed') }} as training_seed,
    {{ whole('gpu_count') }} as gpu_count, {{ mib('peak_gpu_memory_mib') }} as peak_gpu_memory_mib,
    {{ number('gpu_monitor_interval_ms') }} as gpu_monitor_interval_ms, {{ flag('parameter_offload') }} as parameter_offload
from source
