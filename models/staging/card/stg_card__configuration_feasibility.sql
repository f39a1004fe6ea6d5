-- One row per boundary configuration, in the two-state view of the archival tables.
with source as (
    {{ shown_edition(source('card', 'configuration_feasibility')) }}
),

typed as (
    select
        -- outcome, in the collector's own words
        {{ flag('safe') }} as safe,
        -- settings and counts
        model_family, algorithm, dataset, configuration_level, {{ whole('safe_repetitions') }} as safe_repetitions,
        {{ whole('successful_repetitions') }} as successful_repetitions,
        -- measurements
        {{ number('mean_success_peak_mib') }} as mean_success_peak_mib,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
