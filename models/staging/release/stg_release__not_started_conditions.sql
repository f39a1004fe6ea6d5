-- One row per control condition that was planned and never started.
with source as (
    {{ shown_edition(source('release', 'not_started_conditions')) }}
),

typed as (
    select
        -- keys
        experiment_id, pair_id, {{ whole('period') }} as period, {{ whole('training_seed') }} as training_seed,
        job_id,
        -- outcome, in the collector's own words
        {{ flag('initial_allocation') }} as initial_allocation, {{ flag('attempted') }} as attempted, outcome,
        {{ text('terminal_sampled_phase') }} as terminal_sampled_phase,
        -- settings and counts
        condition, model_family, dataset,
        -- measurements
        {{ mib('observed_peak_mib') }} as observed_peak_mib,
        {{ mib('actor_update_peak_mib') }} as actor_update_peak_mib,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
