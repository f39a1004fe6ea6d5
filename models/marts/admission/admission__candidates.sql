-- One row per candidate configuration: screening, evaluation and donor state as published, and our label from its
-- evaluation attempts. Without the attempts of the same release there is no label of ours.
with candidates as (select * from {{ ref('stg_card__admission_candidates') }}),

labelled as (
    select * from {{ ref('int_admission__candidates_labelled') }}
    where {{ are_of_one_release(['admission_candidates', 'admission_attempts']) }}
),

joined as (
    select
        candidates.*,
        {{ operating_limit_mib('admission') }} as operating_limit_mib,
        labelled.label, labelled.known_memory_failure, labelled.known_above_margin
    from candidates
    left join labelled on candidates.candidate_id = labelled.candidate_id
)

select
    candidate_id, case_id, model_family, model_name, dataset, workload_name, configuration_level, actor_micro_batch,
    reservation, gpu_count, training_steps, prompt_cap, response_cap, responses_per_prompt, global_prompt_batch,
    evaluation_state, label, case when label is null then 'source_absent' end as label_absence,
    screen_state, source_state,
    evaluation_known_memory_failure, evaluation_known_above_margin, known_memory_failure, known_above_margin,
    screen_peak_mib,
    {{ absence('screen_peak_mib', [
        ("screen_state = 'not_started'", 'not_started'),
        ("screen_state = 'memory_failure'", 'run_did_not_complete'),
        ("screen_state = 'unresolved'", 'not_eligible'),
    ]) }},
    evaluation_max_completed_peak_mib,
    {{ absence('evaluation_max_completed_peak_mib', [
        ("evaluation_state in ('memory_failure', 'unresolved')", 'no_eligible_completion'),
    ]) }},
    operating_limit_mib,
    {{ headroom('operating_limit_mib', 'evaluation_max_completed_peak_mib') }} as headroom_mib,
    {{ absence('headroom_mib', [
        ("evaluation_state in ('memory_failure', 'unresolved')", 'no_eligible_completion'),
    ]) }},
    recorded_screen_attempts, recorded_evaluation_attempts, source_path, row_number
from joined
