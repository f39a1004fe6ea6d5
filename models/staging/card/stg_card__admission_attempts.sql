-- One row per attempt of a screening or evaluation slot.
with source as (
    {{ shown_edition(source('card', 'admission_attempts')) }}
),

typed as (
    select
        -- keys
        attempt_id, slot_id, candidate_id, case_id, {{ whole('training_seed') }} as training_seed, job_id,
        -- outcome, in the collector's own words
        role, state, {{ flag('known_memory_failure') }} as known_memory_failure,
        {{ flag('completed_final_operations') }} as completed_final_operations,
        {{ text('repair_reason') }} as repair_reason,
        -- settings and counts
        {{ whole('attempt_index') }} as attempt_index, {{ whole('wrapper_exit_code') }} as wrapper_exit_code,
        {{ text('validation_error') }} as validation_error, {{ text('allocation_manifest') }} as allocation_manifest,
        {{ text('attempt_directory') }} as attempt_directory, {{ text('source_head') }} as source_head,
        {{ whole('last_completed_step') }} as last_completed_step,
        -- measurements
        {{ mib('peak_mib') }} as peak_mib, {{ number('elapsed_seconds') }} as elapsed_seconds,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
