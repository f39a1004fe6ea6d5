-- One row per allocation of a slot.
with source as (
    {{ shown_edition(source('release', 'admission_allocations')) }}
),

typed as (
    select
        -- keys
        slot_id, job_id,
        -- outcome, in the collector's own words
        {{ flag('process_started') }} as process_started,
        -- settings and counts
        status, {{ text('error') }} as error,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
