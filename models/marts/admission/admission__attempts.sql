-- One row per attempt of a screening or evaluation slot. Screening and evaluation seeds are never pooled.
with attempts as (select * from {{ ref('stg_card__admission_attempts') }})

select
    attempt_id, attempt_index, slot_id, candidate_id, case_id, role, training_seed, job_id, state,
    known_memory_failure, completed_final_operations, wrapper_exit_code,
    peak_mib,
    {{ absence('peak_mib', [
        ('not completed_final_operations', 'run_did_not_complete'),
        ("state = 'unresolved'", 'not_eligible'),
    ]) }},
    elapsed_seconds, {{ absence('elapsed_seconds') }},
    last_completed_step, {{ absence('last_completed_step') }},
    validation_error, repair_reason, allocation_manifest, attempt_directory, source_head, source_path, row_number
from attempts
