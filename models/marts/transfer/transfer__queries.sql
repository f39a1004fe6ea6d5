-- One row per query. It pairs two configurations and measures nothing: 400 queries reuse 94 targets.
with queries as (select * from {{ ref('stg_card__transfer_queries') }})

select
    query_id, task_id, track, source_configuration_id, target_configuration_id, source_case_id, target_case_id,
    source_path, row_number
from queries
