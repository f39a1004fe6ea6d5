-- Guards: source and target of a query exist, belong to the cases it names, differ in case, and have one of the three
-- states (4.7).
with sides as (
    select query_id, source_configuration_id as configuration_id, source_case_id as case_id
    from {{ ref('transfer__queries') }}
    union all
    select query_id, target_configuration_id, target_case_id from {{ ref('transfer__queries') }}
),

broken as (
    select sides.query_id
    from sides
    left join {{ ref('historical__configurations') }} as configurations
        on sides.configuration_id = configurations.configuration_id
    where
        {{ are_of_one_release(['all_configurations', 'transfer_queries']) }}
        and (
            configurations.configuration_id is null
            or configurations.case_id <> sides.case_id
            or configurations.observed_state not in ('within_margin', 'above_margin', 'memory_failure')
        )
    union all
    select query_id from {{ ref('transfer__queries') }} where source_case_id = target_case_id
)

select query_id
from broken
