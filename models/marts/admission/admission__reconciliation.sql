-- One row per published value of the admission tables that our own derivation can check, both values side by side.
with candidates as (select * from {{ ref('stg_card__admission_candidates') }}),

labelled as (select * from {{ ref('int_admission__candidates_labelled') }}),

attempts as (select * from {{ ref('stg_card__admission_attempts') }}),

stages as (select * from {{ ref('stg_release__admission_stages') }}),

screens as (
    select candidate_id, state, peak_mib
    from attempts
    where role = 'screen'
    qualify row_number() over (partition by candidate_id order by attempt_index desc) = 1
),

attempt_counts as (
    select
        candidate_id,
        count(*) filter (where role = 'screen') as screen_attempt_count,
        count(*) filter (where role = 'evaluation') as evaluation_attempt_count
    from attempts
    group by candidate_id
),

candidates_derived as (
    select
        candidates.*, labelled.label, labelled.known_memory_failure, labelled.known_above_margin,
        labelled.max_completed_run_peak_mib,
        coalesce(screens.state, 'not_started') as derived_screen_state, screens.peak_mib as derived_screen_peak_mib,
        coalesce(attempt_counts.screen_attempt_count, 0) as screen_attempt_count,
        coalesce(attempt_counts.evaluation_attempt_count, 0) as evaluation_attempt_count
    from candidates
    inner join labelled on candidates.candidate_id = labelled.candidate_id
    left join screens on candidates.candidate_id = screens.candidate_id
    left join attempt_counts on candidates.candidate_id = attempt_counts.candidate_id
    where {{ are_of_one_release(['admission_candidates', 'admission_attempts']) }}
),

attempts_judged as (
    select
        attempt_id, state, validation_error, completed_final_operations as is_completed,
        known_memory_failure as is_memory_failure,
        case when completed_final_operations then peak_mib end as completed_peak_mib
    from attempts
),

attempts_derived as (
    select
        attempt_id, state,
        case
            when validation_error is not null then 'unresolved'
            else {{ run_label(operating_limit_mib('admission')) }}
        end as label
    from attempts_judged
),

completed_attempts_from_stages as (
    select attempts.attempt_id, attempts.peak_mib, max(stages.observed_peak_mib) as largest_stage_peak_mib
    from attempts
    inner join stages on attempts.attempt_id = stages.attempt_id
    where
        attempts.completed_final_operations and attempts.peak_mib is not null
        and {{ are_of_one_release(['admission_attempts', 'admission_stages']) }}
    group by attempts.attempt_id, attempts.peak_mib
)

{% for quantity, derived, is_number in [
    ('evaluation_state', 'label', false),
    ('evaluation_known_memory_failure', 'known_memory_failure', false),
    ('evaluation_known_above_margin', 'known_above_margin', false),
    ('evaluation_max_completed_peak_mib', 'max_completed_run_peak_mib', true),
    ('screen_state', 'derived_screen_state', false),
    ('screen_peak_mib', 'derived_screen_peak_mib', true),
    ('recorded_screen_attempts', 'screen_attempt_count', true),
    ('recorded_evaluation_attempts', 'evaluation_attempt_count', true),
] %}
{{ comparison('candidate', 'candidate_id', quantity, quantity, derived, 'candidates_derived', is_number) }}
union all
{% endfor %}
{{ comparison('attempt', 'attempt_id', 'state', 'state', 'label', 'attempts_derived') }}
union all
{{ comparison('attempt', 'attempt_id', 'peak_mib', 'peak_mib', 'largest_stage_peak_mib',
    'completed_attempts_from_stages', true) }}
