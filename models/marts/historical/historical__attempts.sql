-- One row per recorded invocation of a slot that has an eligible run. An excluded attempt is not a failure: some
-- completed.
with attempts as (select * from {{ ref('stg_card__recorded_attempts') }})

select
    attempt_id, configuration_id, run_id, study, experiment_id, job_id, eligible, recorded_outcome,
    documented_completion, failure_kind, exclusion_reason, last_completed_step_if_documented,
    {{ absence('last_completed_step_if_documented') }},
    evidence_files, scheduler_evidence, source_path, row_number
from attempts
