-- One row per eligible run with the label our rule gives it from peak, completion and diagnosis.
with runs as (select * from {{ ref('stg_card__eligible_runs') }}),

kinds as (select * from {{ ref('failure_kinds') }}),

judged as (
    select
        runs.run_id, runs.configuration_id, runs.training_seed, true as is_eligible,
        runs.completed_requested_work as is_completed,
        coalesce(kinds.memory_class = 'device_memory', false) as is_memory_failure,
        case when runs.completed_requested_work then runs.completed_run_peak_mib end as completed_peak_mib,
        {{ operating_limit_mib('historical') }} as operating_limit_mib
    from runs
    left join kinds on runs.failure_kind = kinds.failure_kind
)

select *, {{ run_label('operating_limit_mib') }} as label
from judged
