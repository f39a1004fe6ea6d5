-- One row per attempt the archives hold evidence of, with what that evidence alone proves. Its label comes from exit
-- code, sampled peak and the text of the log, not from any published table.
with trials as (select * from {{ ref('stg_evidence__trials') }}),

traces as (select * from {{ ref('stg_evidence__trace_files') }} where is_point_source),

diagnoses as (select * from {{ ref('stg_evidence__diagnoses') }}),

members as ({{ shown_evidence('members') }}),

known as (
    select experiment_id, job_id, max(study) as study
    from members
    where experiment_id is not null and job_id is not null
    group by experiment_id, job_id
),

joined as (
    select
        known.experiment_id, known.job_id, known.study,
        trials.exit_code, trials.exit_code = 0 as is_completed,
        coalesce(traces.max_memory_mib, trials.peak_gpu_memory_mib) as observed_peak_mib,
        traces.terminal_stage, traces.device_count, traces.point_count,
        traces.agrees_with_gpu_memory, traces.agrees_with_gpu_telemetry,
        case when trials.exit_code <> 0 then
            {{ kind_at_stage('diagnoses.log_failure_kind', 'traces.terminal_stage') }}
        end as failure_kind,
        diagnoses.largest_step, trials.member_path as trial_member, traces.member_path as trace_member,
        diagnoses.member_path as log_member, diagnoses.deciding_line, diagnoses.deciding_text
    from known
    left join trials on known.experiment_id = trials.experiment_id and known.job_id = trials.job_id
    left join traces on known.experiment_id = traces.experiment_id and known.job_id = traces.job_id
    left join diagnoses on known.experiment_id = diagnoses.experiment_id and known.job_id = diagnoses.job_id
),

judged as (
    select
        joined.*, coalesce(kinds.memory_class = 'device_memory', false) as is_memory_failure,
        case when joined.is_completed then joined.observed_peak_mib end as completed_peak_mib
    from joined
    left join {{ ref('failure_kinds') }} as kinds on joined.failure_kind = kinds.failure_kind
)

select
    experiment_id, job_id, study, exit_code, is_completed, {{ run_label(operating_limit_mib('historical')) }} as label,
    failure_kind, terminal_stage,
    observed_peak_mib, {{ absence('observed_peak_mib', [('trace_member is null', 'source_absent')]) }},
    completed_peak_mib,
    {{ absence('completed_peak_mib', [
        ('trial_member is null', 'source_absent'), ('not is_completed', 'run_did_not_complete'),
    ]) }},
    largest_step, {{ absence('largest_step', [('log_member is null', 'source_absent')]) }},
    device_count, point_count, agrees_with_gpu_memory, agrees_with_gpu_telemetry, trial_member, trace_member,
    log_member, deciding_line, deciding_text
from judged
