-- Guards: the configurations of the queries, as source or target, are exactly the transfer view (98 of them).
with used as (
    select source_configuration_id as configuration_id from {{ ref('transfer__queries') }}
    union
    select target_configuration_id from {{ ref('transfer__queries') }}
)

select coalesce(used.configuration_id, configurations.configuration_id) as configuration_id
from used
full join {{ ref('transfer__configurations') }} as configurations
    on used.configuration_id = configurations.configuration_id
where
    {{ are_of_one_release(['transfer_configurations', 'transfer_queries']) }}
    and (used.configuration_id is null or configurations.configuration_id is null)
