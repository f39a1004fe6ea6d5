-- One row per published value of the historical tables that our own derivation can check: both values and whether
-- they agree. A comparison is made only where both tables are in the release.
with configurations as (select * from {{ ref('stg_card__all_configurations') }}),

labelled as (select * from {{ ref('int_historical__configurations_labelled') }}),

runs as (select * from {{ ref('stg_card__eligible_runs') }}),

runs_labelled as (select * from {{ ref('int_historical__runs_labelled') }}),

attempts as (select * from {{ ref('stg_card__recorded_attempts') }}),

stages as (select * from {{ ref('stg_card__stage_measurements') }}),

cohort_devices as (
    select devices.device_name, devices.capacity_mib, devices.operating_limit_mib
    from {{ ref('devices') }} as devices
    inner join {{ ref('cohorts') }} as cohorts on devices.device_name = cohorts.device_name
    where cohorts.cohort = 'historical'
),

configurations_from_runs as (
    select
        configurations.*, labelled.label, labelled.eligible_run_count, labelled.eligible_seed_count,
        labelled.completed_run_count, labelled.within_margin_run_count, labelled.above_margin_run_count,
        labelled.memory_failure_run_count, labelled.max_completed_run_peak_mib as derived_max_peak_mib,
        labelled.mean_completed_run_peak_mib as derived_mean_peak_mib
    from configurations
    inner join labelled on configurations.configuration_id = labelled.configuration_id
    where {{ are_of_one_release(['all_configurations', 'eligible_runs']) }}
),

configurations_on_devices as (
    select configurations.*, cohort_devices.device_name, cohort_devices.capacity_mib, cohort_devices.operating_limit_mib
    from configurations
    cross join cohort_devices
),

configurations_from_attempts as (
    select
        configurations.configuration_id, configurations.recorded_attempts, configurations.excluded_attempts,
        configurations.documented_completed_attempts,
        count(attempts.attempt_id) as attempt_count,
        count(attempts.attempt_id) filter (where not attempts.eligible) as excluded_count,
        count(attempts.attempt_id) filter (where attempts.documented_completion) as documented_count
    from configurations
    left join attempts on configurations.configuration_id = attempts.configuration_id
    where {{ are_of_one_release(['all_configurations', 'recorded_attempts']) }}
    group by all
),

runs_with_labels as (
    select runs.*, runs_labelled.label
    from runs
    inner join runs_labelled on runs.run_id = runs_labelled.run_id
),

runs_from_stages as (
    select runs.run_id, runs.observed_peak_mib, max(stages.observed_peak_mib) as largest_stage_peak_mib
    from runs
    left join stages on runs.run_id = stages.run_id
    where {{ are_of_one_release(['eligible_runs', 'stage_measurements']) }}
    group by runs.run_id, runs.observed_peak_mib
),

stages_from_runs as (
    select
        stages.run_id || '/' || stages.stage as stage_id, stages.coverage,
        case
            when runs.completed_requested_work then 'completed_run'
            when stages.stage = runs.terminal_stage then 'terminal_stage_partial'
            else 'stage_completion_not_certified'
        end as derived_coverage
    from stages
    inner join runs on stages.run_id = runs.run_id
    where {{ are_of_one_release(['eligible_runs', 'stage_measurements']) }}
),

identifiers as (select * from {{ ref('int_historical__identifiers') }}),

compared as (
    {%- for quantity, derived, is_number in [
        ('observed_state', 'label', false),
        ('eligible_processes', 'eligible_run_count', true),
        ('distinct_seeds', 'eligible_seed_count', true),
        ('completed_eligible_processes', 'completed_run_count', true),
        ('within_margin_processes', 'within_margin_run_count', true),
        ('above_margin_processes', 'above_margin_run_count', true),
        ('memory_failure_processes', 'memory_failure_run_count', true),
        ('max_completed_run_peak_mib', 'derived_max_peak_mib', true),
    ] %}
    {{ comparison('configuration', 'configuration_id', quantity, quantity, derived, 'configurations_from_runs', is_number) }}
    union all
    {%- endfor %}
    {#- A mean of floats depends on the order of addition: it is compared to a millionth of a MiB. #}
    {{ comparison('configuration', 'configuration_id', 'mean_completed_run_peak_mib',
        'round(mean_completed_run_peak_mib, 6)', 'round(derived_mean_peak_mib, 6)', 'configurations_from_runs', true) }}
    union all
    {%- for quantity, derived in [
        ('recorded_attempts', 'attempt_count'),
        ('excluded_attempts', 'excluded_count'),
        ('documented_completed_attempts', 'documented_count'),
    ] %}
    {{ comparison('configuration', 'configuration_id', quantity, quantity, derived, 'configurations_from_attempts', true) }}
    union all
    {%- endfor %}
    {%- for quantity, derived, is_number in [
        ('accelerator', 'device_name', false),
        ('device_capacity_mib', 'capacity_mib', true),
        ('margin_limit_mib', 'operating_limit_mib', true),
    ] %}
    {{ comparison('configuration', 'configuration_id', quantity, quantity, derived, 'configurations_on_devices', is_number) }}
    union all
    {%- endfor %}
    {{ comparison('run', 'run_id', 'observed_state', 'observed_state', 'label', 'runs_with_labels') }}
    union all
    {{ comparison('run', 'run_id', 'completed_run_peak_mib', 'completed_run_peak_mib',
        'case when completed_requested_work then observed_peak_mib end', 'runs_with_labels', true) }}
    union all
    {{ comparison('run', 'run_id', 'observed_peak_mib', 'observed_peak_mib', 'largest_stage_peak_mib',
        'runs_from_stages', true) }}
    union all
    {{ comparison('stage', 'stage_id', 'coverage', 'coverage', 'derived_coverage', 'stages_from_runs') }}
    union all
    select
        entity, published as entity_id, quantity, published, derived, cast(null as double) as difference,
        case when published = derived then 'agrees' else 'differs' end as status
    from identifiers
    where quantity <> 'case_id'
    union all
    {#- A case holds several configurations: its id is checked once. #}
    select
        'case' as entity, published as entity_id, quantity, published, min(derived) as derived,
        cast(null as double) as difference,
        case when min(derived) = published and max(derived) = published then 'agrees' else 'differs' end as status
    from identifiers
    where quantity = 'case_id'
    group by quantity, published
)

select entity, entity_id, quantity, published, derived, difference, status
from compared
