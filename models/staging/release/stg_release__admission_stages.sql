-- One row per attempt and stage its trace shows.
with source as (
    {{ shown_edition(source('release', 'admission_stages')) }}
),

typed as (
    select
        -- keys
        attempt_id, slot_id, candidate_id,
        -- outcome, in the collector's own words
        role, phase, {{ flag('completed_process') }} as completed_process, {{ text('failure_kind') }} as failure_kind,
        -- measurements
        {{ mib('observed_peak_mib') }} as observed_peak_mib,
        {{ number('sampled_duration_seconds') }} as sampled_duration_seconds,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
