-- One row per eligible run with the label our rule gives it from peak, completion and diagnosis.
-- Eligible here means that the rule can label it: a completed run whose peak is missing proves nothing.
with runs as (select * from {{ ref('stg_card__eligible_runs') }}),

kinds as (select * from {{ ref('failure_kinds') }}),

judged as (
    select
        runs.run_id, runs.configuration_id, runs.training_seed,
        runs.completed_requested_work as is_completed,
        coalesce(kinds.memory_class = 'device_memory', false) as is_memory_failure,
        case when runs.completed_requested_work then runs.completed_run_peak_mib end as completed_peak_mib,
        {{ operating_limit_mib('historical') }} as operating_limit_mib
    from runs
    left join kinds on runs.failure_kind = kinds.failure_kind
),

labelled as (select *, {{ run_label('operating_limit_mib') }} as label from judged)

select *, label is not null as is_eligible
from labelled
