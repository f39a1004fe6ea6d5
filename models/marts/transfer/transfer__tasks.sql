-- One row per task: the queries that must be answered together, from one set of sources.
with queries as (select * from {{ ref('stg_card__transfer_queries') }})

select
    task_id, track,
    count(*) as query_count,
    count(distinct source_configuration_id) as source_configuration_count,
    count(distinct target_configuration_id) as target_configuration_count,
    min(source_path) as source_path,
    min(row_number) as row_number
from queries
group by task_id, track
