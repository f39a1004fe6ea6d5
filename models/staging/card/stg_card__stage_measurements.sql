-- One row per eligible run and stage its trace shows. A stage that was never sampled has no row.
with source as (
    {{ shown_edition(source('card', 'stage_measurements')) }}
),

typed as (
    select
        -- keys
        run_id, configuration_id,
        -- outcome, in the collector's own words
        stage, coverage,
        -- settings and counts
        phase_memory_csv,
        -- measurements
        {{ mib('observed_peak_mib') }} as observed_peak_mib,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
