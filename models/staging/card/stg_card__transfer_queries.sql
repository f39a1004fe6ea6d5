-- One row per query: a source configuration paired with a target. It measures nothing by itself.
with source as (
    {{ shown_edition(source('card', 'transfer_queries')) }}
),

typed as (
    select
        -- keys
        query_id, task_id, source_configuration_id, target_configuration_id, source_case_id, target_case_id,
        -- outcome, in the collector's own words
        track,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
