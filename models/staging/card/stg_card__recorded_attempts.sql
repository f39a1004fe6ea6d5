-- One row per recorded invocation of a slot that has an eligible run, excluded ones included.
with source as (
    {{ shown_edition(source('card', 'recorded_attempts')) }}
),

typed as (
    select
        -- keys
        attempt_id, configuration_id, {{ text('run_id') }} as run_id, experiment_id, job_id,
        -- outcome, in the collector's own words
        study, {{ flag('eligible') }} as eligible, recorded_outcome,
        {{ flag('documented_completion') }} as documented_completion, {{ text('failure_kind') }} as failure_kind,
        -- settings and counts
        {{ text('exclusion_reason') }} as exclusion_reason,
        {{ whole('last_completed_step_if_documented') }} as last_completed_step_if_documented,
        {{ text('evidence_files') }} as evidence_files, {{ text('scheduler_evidence') }} as scheduler_evidence,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
