-- One row per configuration that is source or target of a query. The same experiments as in historical.configurations.
with configurations as (select * from {{ ref('stg_card__transfer_configurations') }}),

limited as (
    select *, {{ operating_limit_mib('transfer') }} as operating_limit_mib
    from configurations
)

select
    configuration_id, case_id, study, {{ setting_columns() }},
    observed_state,
    {{ result_columns() }},
    source_path, row_number
from limited
