-- One row per configuration of the ten historical studies: settings, published outcome, and our label from its runs.
-- Without the runs of the same release there is no label of ours, rather than an unresolved one.
with configurations as (select * from {{ ref('stg_card__all_configurations') }}),

labelled as (
    select * from {{ ref('int_historical__configurations_labelled') }}
    where {{ are_of_one_release(['all_configurations', 'eligible_runs']) }}
),

joined as (
    select
        configurations.*,
        {{ operating_limit_mib('historical') }} as operating_limit_mib,
        labelled.label,
        labelled.memory_failure_run_count > 0 as known_memory_failure,
        labelled.above_margin_run_count > 0 as known_above_margin
    from configurations
    left join labelled on configurations.configuration_id = labelled.configuration_id
)

select
    configuration_id, case_id, study, {{ setting_columns() }},
    observed_state, label, case when label is null then 'source_absent' end as label_absence,
    known_memory_failure, known_above_margin,
    {{ result_columns() }},
    source_path, row_number
from joined
