-- One row per candidate with the counts of its evaluation attempts and the label our rule gives it.
-- Screening attempts never enter a label. Of a slot with a replacement the last attempt counts.
with candidates as (select * from {{ ref('stg_card__admission_candidates') }}),

attempts as (select * from {{ ref('stg_card__admission_attempts') }}),

evaluations as (
    select
        candidate_id, training_seed, validation_error is null as is_valid,
        completed_final_operations as is_completed, known_memory_failure as is_memory_failure,
        case when completed_final_operations then peak_mib end as completed_peak_mib
    from attempts
    where role = 'evaluation'
    qualify row_number() over (partition by slot_id order by attempt_index desc) = 1
),

labelled as (
    select *, {{ run_label(operating_limit_mib('admission')) }} as label
    from evaluations
),

judged as (select *, is_valid and label is not null as is_eligible from labelled),

counted as (
    select
        candidates.candidate_id, 3 as planned_repetitions,
        {{ label_counts() }}
    from candidates
    left join judged on candidates.candidate_id = judged.candidate_id
    group by candidates.candidate_id
),

flags as (
    select
        candidate_id,
        bool_or(known_memory_failure) as known_memory_failure,
        bool_or(state = 'above_margin') as known_above_margin
    from attempts
    where role = 'evaluation'
    group by candidate_id
)

select
    counted.*,
    coalesce(flags.known_memory_failure, false) as known_memory_failure,
    coalesce(flags.known_above_margin, false) as known_above_margin,
    {{ configuration_label() }} as label
from counted
left join flags on counted.candidate_id = flags.candidate_id
