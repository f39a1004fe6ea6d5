-- Guards: the release's own summary.json counts what its tables hold (3.1).
with summary as (
    select documents.body, documents.release_id
    from {{ source('loader', 'documents') }} as documents
    inner join {{ source('loader', 'selected') }} as selected
        on documents.document_name = selected.table_name and documents.release_id = selected.release_id
    where documents.document_name = 'benchmark_summary'
),

pairs as (
    select
        unnest([
            {'key': 'configurations', 'relation': 'historical.configurations', 'shown': 'all_configurations'},
            {'key': 'eligible_processes', 'relation': 'historical.runs', 'shown': 'eligible_runs'},
            {'key': 'recorded_attempts', 'relation': 'historical.attempts', 'shown': 'recorded_attempts'},
            {
                'key': 'never_started_conditions', 'relation': 'historical.never_started',
                'shown': 'not_started_conditions'
            },
            {'key': 'stage_measurements', 'relation': 'historical.stages', 'shown': 'stage_measurements'},
            {
                'key': 'transfer_configurations', 'relation': 'transfer.configurations',
                'shown': 'transfer_configurations'
            },
            {'key': 'queries', 'relation': 'transfer.queries', 'shown': 'transfer_queries'},
            {'key': 'tasks', 'relation': 'transfer.tasks', 'shown': 'transfer_queries'}
        ]) as pair
),

compared as (
    select
        pairs.pair.key, cast(json_extract_string(summary.body, '$.' || pairs.pair.key) as bigint) as summary_count,
        found.found
    from summary
    cross join pairs
    inner join {{ source('loader', 'selected') }} as selected
        on pairs.pair.shown = selected.table_name and summary.release_id = selected.release_id
    left join {{ ref('meta__found_counts') }} as found
        on pairs.pair.relation = found.relation and found.quantity = 'rows'
)

select *
from compared
where summary_count is distinct from found
