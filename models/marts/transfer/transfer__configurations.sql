-- One row per configuration that is source or target of a query. The same experiments as in historical.configurations.
with configurations as (select * from {{ ref('stg_card__transfer_configurations') }}),

limited as (
    select *, {{ operating_limit_mib('transfer') }} as operating_limit_mib
    from configurations
)

select
    configuration_id, case_id, study, {{ setting_columns() }},
    observed_state,
    eligible_processes, distinct_seeds, completed_eligible_processes, within_margin_processes,
    above_margin_processes, memory_failure_processes,
    max_completed_run_peak_mib,
    {{ absence('max_completed_run_peak_mib', [('completed_eligible_processes = 0', 'no_eligible_completion')]) }},
    mean_completed_run_peak_mib,
    {{ absence('mean_completed_run_peak_mib', [('completed_eligible_processes = 0', 'no_eligible_completion')]) }},
    operating_limit_mib, {{ headroom('operating_limit_mib', 'max_completed_run_peak_mib') }} as headroom_mib,
    {{ absence('headroom_mib', [('completed_eligible_processes = 0', 'no_eligible_completion')]) }},
    recorded_attempts, documented_completed_attempts, excluded_attempts, label_scope, used_in_transfer_tasks,
    source_path, row_number
from limited
