-- One row per hashed identifier of the transfer tables beside the one its recipe gives, and per query whether the
-- cases it names are those of its configurations. Only where the settings are in the release.
with queries as (select * from {{ ref('stg_card__transfer_queries') }}),

configurations as (select * from {{ ref('stg_card__all_configurations') }}),

paired as (
    select
        queries.*, source_configurations.case_id as derived_source_case_id,
        target_configurations.case_id as derived_target_case_id,
        case queries.track
            when 'model_transfer' then {{ json_array(['track', 'source_configurations.model_family',
                'target_configurations.model_family', 'target_configurations.legacy_dataset_id']) }}
            when 'workload_transfer' then {{ json_array(['track', 'source_configurations.model_family',
                'source_configurations.legacy_dataset_id']) }}
            when 'gpu_count_transfer' then {{ json_array(['track', 'source_configurations.model_family',
                'source_configurations.legacy_dataset_id',
                "case when source_configurations.gpu_count < target_configurations.gpu_count then 'two_to_four' else 'four_to_two' end"]) }}
            when 'horizon_transfer' then {{ json_array(['track', 'source_configurations.model_family',
                'source_configurations.legacy_dataset_id']) }}
        end as task_parts
    from queries
    left join configurations as source_configurations
        on queries.source_configuration_id = source_configurations.configuration_id
    left join configurations as target_configurations
        on queries.target_configuration_id = target_configurations.configuration_id
    where {{ are_of_one_release(['transfer_queries', 'all_configurations']) }}
),

identified as (
    select
        *, {{ hashed_id('task', 'task_parts') }} as derived_task_id,
        {{ hashed_id('query', json_array(['task_id', 'source_configuration_id', 'target_configuration_id'])) }}
            as derived_query_id
    from paired
)

{% for quantity, derived in [
    ('query_id', 'derived_query_id'),
    ('task_id', 'derived_task_id'),
    ('source_case_id', 'derived_source_case_id'),
    ('target_case_id', 'derived_target_case_id'),
] %}
{{ comparison('query', 'query_id', quantity, quantity, derived, 'identified') }}
{%- if not loop.last %}
union all
{% endif %}
{%- endfor %}
