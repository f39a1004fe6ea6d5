-- One row per eligible run. observed_peak_mib is what was sampled, of failed runs too; only completed_run_peak_mib is
-- demand.
with runs as (select * from {{ ref('stg_card__eligible_runs') }}),

labelled as (select * from {{ ref('int_historical__runs_labelled') }}),

joined as (
    select
        runs.*, labelled.label, labelled.operating_limit_mib,
        {{ headroom('labelled.operating_limit_mib', 'runs.completed_run_peak_mib') }} as headroom_mib
    from runs
    inner join labelled on runs.run_id = labelled.run_id
)

select
    run_id, configuration_id, study, experiment_id, training_seed, job_id, pair_id, period,
    observed_state, label, completed_requested_work, requested_training_steps, terminal_stage, failure_kind,
    observed_peak_mib, completed_run_peak_mib,
    {{ absence('completed_run_peak_mib', [('not completed_requested_work', 'run_did_not_complete')]) }},
    operating_limit_mib, headroom_mib,
    {{ absence('headroom_mib', [('not completed_requested_work', 'run_did_not_complete')]) }},
    elapsed_seconds, source_table, artifact_path, run_log, phase_memory_csv, gpu_telemetry_csv, environment_json,
    allocation_manifest, source_head, source_path, row_number
from joined
