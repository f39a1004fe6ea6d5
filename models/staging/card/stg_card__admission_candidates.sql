-- One row per candidate configuration.
with source as (
    {{ shown_edition(source('card', 'admission_candidates')) }}
),

typed as (
    select
        -- keys
        candidate_id, case_id,
        -- outcome, in the collector's own words
        evaluation_state, screen_state, source_state,
        {{ flag('evaluation_known_memory_failure') }} as evaluation_known_memory_failure,
        {{ flag('evaluation_known_above_margin') }} as evaluation_known_above_margin,
        -- settings and counts
        model_name, workload_name, configuration_level, {{ whole('actor_micro_batch') }} as actor_micro_batch,
        {{ number('reservation') }} as reservation, {{ whole('gpu_count') }} as gpu_count,
        {{ whole('training_steps') }} as training_steps, {{ whole('prompt_cap') }} as prompt_cap,
        {{ whole('response_cap') }} as response_cap, {{ whole('responses_per_prompt') }} as responses_per_prompt,
        {{ whole('global_prompt_batch') }} as global_prompt_batch,
        {{ whole('recorded_screen_attempts') }} as recorded_screen_attempts,
        {{ whole('recorded_evaluation_attempts') }} as recorded_evaluation_attempts, model_family, dataset,
        -- measurements
        {{ mib('screen_peak_mib') }} as screen_peak_mib,
        {{ mib('evaluation_max_completed_peak_mib') }} as evaluation_max_completed_peak_mib,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
