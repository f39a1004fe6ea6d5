-- One row per control condition that was planned and never started. The same slot ran later under another job.
with conditions as (select * from {{ ref('stg_release__not_started_conditions') }})

select
    experiment_id, job_id, pair_id, condition, period, model_family, dataset, training_seed, initial_allocation,
    attempted, outcome,
    observed_peak_mib, {{ absence('observed_peak_mib', [('not attempted', 'not_started')]) }},
    actor_update_peak_mib, {{ absence('actor_update_peak_mib', [('not attempted', 'not_started')]) }},
    terminal_sampled_phase, source_path, row_number
from conditions
