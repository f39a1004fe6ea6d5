-- One row per attempt and stage its trace shows. The peak is the largest reading of any one device at any one point; it
-- is a lower bound where sampling paused. Seconds go to the stage of the earlier of two points; the last adds none.
with points as (select * from {{ ref('stg_evidence__trace_points') }}),

attempts as (select * from {{ ref('evidence__attempts') }}),

trials as (select * from {{ ref('stg_evidence__trials') }}),

spaced as (
    select
        experiment_id, job_id, stage, largest_device_mib,
        lead(timestamp_ns) over (partition by file_id order by timestamp_ns) - timestamp_ns as gap_ns
    from points
),

stages as (
    select
        experiment_id, job_id, stage, cast(max(largest_device_mib) as decimal(18, 6)) as observed_peak_mib,
        count(*) as point_count,
        coalesce(sum(cast(gap_ns as double)), 0) / 1e9 as sampled_seconds, max(gap_ns) as longest_gap_ns
    from spaced
    group by experiment_id, job_id, stage
),

joined as (
    select
        stages.*, attempts.study, attempts.is_completed, attempts.terminal_stage, trials.gpu_monitor_interval_ms,
        cast(stages.longest_gap_ns / 1e9 as double) as longest_gap_seconds
    from stages
    inner join attempts on stages.experiment_id = attempts.experiment_id and stages.job_id = attempts.job_id
    left join trials on stages.experiment_id = trials.experiment_id and stages.job_id = trials.job_id
)

select
    experiment_id, job_id, stage, study, observed_peak_mib,
    {{ absence('observed_peak_mib', [('true', 'sensor_not_available')]) }},
    case
        when is_completed then 'completed_run'
        when stage = terminal_stage then 'terminal_stage_partial'
        else 'stage_completion_not_certified'
    end as coverage,
    point_count, sampled_seconds,
    {#- A pause of more than ten sampling intervals can hide a peak; where none is recorded it is 100 ms (2.3). #}
    coalesce(longest_gap_ns > 10 * coalesce(gpu_monitor_interval_ms, 100) * 1000000, false) as is_lower_bound,
    longest_gap_seconds, {{ absence('longest_gap_seconds', [('true', 'not_applicable')]) }}
from joined
