-- One row per eligible run of the historical studies.
with source as (
    {{ shown_edition(source('card', 'eligible_runs')) }}
),

typed as (
    select
        -- keys
        run_id, configuration_id, experiment_id, {{ whole('training_seed') }} as training_seed, job_id,
        {{ text('pair_id') }} as pair_id, {{ whole('period') }} as period,
        -- outcome, in the collector's own words
        study, observed_state, {{ flag('completed_requested_work') }} as completed_requested_work, terminal_stage,
        {{ text('failure_kind') }} as failure_kind,
        -- settings and counts
        {{ whole('requested_training_steps') }} as requested_training_steps, source_table, artifact_path, run_log,
        phase_memory_csv, gpu_telemetry_csv, environment_json,
        {{ text('allocation_manifest') }} as allocation_manifest, {{ text('source_head') }} as source_head,
        -- measurements
        {{ mib('observed_peak_mib') }} as observed_peak_mib,
        {{ mib('completed_run_peak_mib') }} as completed_run_peak_mib,
        {{ number('elapsed_seconds') }} as elapsed_seconds,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
