{# The 7B panel and its follow-up on larger hosts are two experiments written by one collector: one typing serves both. #}
{% macro typed_estimation_configurations(relation) -%}
with source as (
    {{ shown_edition(relation) }}
),

typed as (
    select
        -- keys
        configuration_id,
        -- outcome, in the collector's own words
        {{ flag('all_three_seeds_eligible') }} as all_three_seeds_eligible, component_regression_predicted_state,
        {{ flag('component_regression_unscored_approval') }} as component_regression_unscored_approval,
        donor_copy_predicted_state, {{ flag('donor_copy_unscored_approval') }} as donor_copy_unscored_approval,
        {{ flag('known_margin_exceedance') }} as known_margin_exceedance,
        {{ flag('known_memory_failure') }} as known_memory_failure, logistic_predicted_state,
        {{ flag('logistic_unscored_approval') }} as logistic_unscored_approval, observed_state,
        {{ flag('unresolved') }} as unresolved,
        -- settings and counts
        {{ whole('completed_processes') }} as completed_processes, configuration_level,
        {{ whole('eligible_seed_count') }} as eligible_seed_count, {{ text('eligible_seeds') }} as eligible_seeds,
        {{ whole('gpu_count') }} as gpu_count, model, {{ whole('required_seeds') }} as required_seeds,
        {{ text('unresolved_seeds') }} as unresolved_seeds, workload,
        -- measurements
        {{ mib('completed_peak_mib') }} as completed_peak_mib,
        {{ number('component_regression_predicted_peak_mib') }} as component_regression_predicted_peak_mib,
        {{ number('donor_copy_predicted_peak_mib') }} as donor_copy_predicted_peak_mib,
        {{ number('logistic_predicted_peak_mib') }} as logistic_predicted_peak_mib,
        {{ mib('maximum_known_completed_peak_mib') }} as maximum_known_completed_peak_mib,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
{%- endmacro %}

{# Typed processes of an estimation panel. `reason` is only in files where a slot was not started. #}
{% macro typed_estimation_processes(relation) -%}
with source as (
    {{ shown_edition(relation) }}
),

typed as (
    select
        -- keys
        configuration_id, experiment_id, {{ text('invocation_id') }} as invocation_id, {{ text('job_id') }} as job_id,
        pair_id, {{ whole('period') }} as period, {{ whole('training_seed') }} as training_seed,
        -- outcome, in the collector's own words
        {{ flag('completed') }} as completed, {{ flag('dispatched') }} as dispatched,
        {{ flag('durable_terminal_record_present') }} as durable_terminal_record_present,
        {{ flag('eligible') }} as eligible, {{ text('failure_kind') }} as failure_kind,
        {{ text('failure_stage') }} as failure_stage,
        {{ flag('known_margin_exceedance') }} as known_margin_exceedance,
        {{ flag('known_memory_failure') }} as known_memory_failure, {{ flag('launched') }} as launched,
        {{ text('online_status') }} as online_status, state,
        {{ text('worker_initialization') }} as worker_initialization,
        -- settings and counts
        {{ whole('allocation_gpu_count') }} as allocation_gpu_count, {{ text('artifact_path') }} as artifact_path,
        configuration_level, dataset, {{ text('expected_execution_commit') }} as expected_execution_commit,
        {{ text('reason') }} as reason, {{ whole('task_gpu_count') }} as task_gpu_count, validation_errors,
        -- measurements
        {{ mib('completed_peak_mib') }} as completed_peak_mib,
        {{ number('invocation_elapsed_seconds') }} as invocation_elapsed_seconds,
        {{ number('invocation_reservation_gpu_seconds') }} as invocation_reservation_gpu_seconds,
        {{ mib('observed_task_peak_mib') }} as observed_task_peak_mib,
        {{ number('task_gpu_seconds') }} as task_gpu_seconds,
        {{ number('task_runtime_seconds') }} as task_runtime_seconds,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
{%- endmacro %}

{# Typed pairs of an estimation panel. #}
{% macro typed_estimation_pairs(relation) -%}
with source as (
    {{ shown_edition(relation) }}
),

typed as (
    select
        -- keys
        pair_id, {{ whole('training_seed') }} as training_seed,
        -- outcome, in the collector's own words
        {{ flag('both_completed') }} as both_completed, {{ flag('both_eligible') }} as both_eligible, four_gpu_state,
        two_gpu_state,
        -- settings and counts
        configuration_level, dataset, {{ whole('first_task_gpu_count') }} as first_task_gpu_count,
        -- measurements
        {{ mib('peak_difference_4_minus_2_mib') }} as peak_difference_4_minus_2_mib,
        {{ number('runtime_difference_4_minus_2_seconds') }} as runtime_difference_4_minus_2_seconds,
        -- provenance
        source_path, row_number
    from source
)

select * from typed
{%- endmacro %}

{# The marts of the two panels. A panel's rows never meet the other's: each model reads its own staging only. #}
{% macro estimation_configurations(staging) -%}
with configurations as (select * from {{ staging }})

select
    configuration_id, model, workload, configuration_level, gpu_count, required_seeds, eligible_seed_count,
    eligible_seeds, unresolved_seeds, all_three_seeds_eligible, completed_processes, observed_state, unresolved,
    known_memory_failure, known_margin_exceedance,
    completed_peak_mib,
    {{ absence('completed_peak_mib', [
        ('completed_processes = 0', 'no_eligible_completion'),
        ('completed_processes < required_seeds', 'not_all_seeds_completed'),
    ]) }},
    maximum_known_completed_peak_mib,
    {{ absence('maximum_known_completed_peak_mib', [('completed_processes = 0', 'no_eligible_completion')]) }},
{%- for method in ['donor_copy', 'component_regression', 'logistic'] %}
    {{ method }}_predicted_state, {{ method }}_predicted_peak_mib,
    {{ absence(method ~ '_predicted_peak_mib', [('true', 'no_estimate')]) }}, {{ method }}_unscored_approval,
{%- endfor %}
    source_path, row_number
from configurations
{%- endmacro %}

{% macro estimation_processes(staging) -%}
with processes as (select * from {{ staging }})

select
    experiment_id, configuration_id, pair_id, period, training_seed, dataset, configuration_level, task_gpu_count,
    allocation_gpu_count, job_id, invocation_id, state, eligible, completed, dispatched, launched, online_status,
    known_memory_failure, known_margin_exceedance, failure_kind, failure_stage, worker_initialization, reason,
    durable_terminal_record_present, validation_errors, expected_execution_commit, artifact_path,
    completed_peak_mib,
    {{ absence('completed_peak_mib', [
        ("failure_stage = 'not_started'", 'not_started'),
        ('not eligible', 'not_eligible'),
        ('not completed', 'run_did_not_complete'),
    ]) }},
    observed_task_peak_mib,
    {{ absence('observed_task_peak_mib', [
        ("failure_stage = 'not_started'", 'not_started'),
        ('not eligible', 'not_eligible'),
    ]) }},
    task_runtime_seconds,
    {{ absence('task_runtime_seconds', [
        ("failure_stage = 'not_started'", 'not_started'),
        ('not eligible', 'not_eligible'),
    ]) }},
    invocation_elapsed_seconds, {{ absence('invocation_elapsed_seconds') }},
    task_gpu_seconds, {{ absence('task_gpu_seconds') }},
    invocation_reservation_gpu_seconds, {{ absence('invocation_reservation_gpu_seconds') }},
    source_path, row_number
from processes
{%- endmacro %}

{% macro estimation_pairs(staging) -%}
with pairs as (select * from {{ staging }})

select
    pair_id, dataset, configuration_level, training_seed, first_task_gpu_count, two_gpu_state, four_gpu_state,
    both_eligible, both_completed,
    peak_difference_4_minus_2_mib,
    {{ absence('peak_difference_4_minus_2_mib', [('not both_completed', 'not_both_completed')]) }},
    runtime_difference_4_minus_2_seconds,
    {{ absence('runtime_difference_4_minus_2_seconds', [('not both_completed', 'not_both_completed')]) }},
    source_path, row_number
from pairs
{%- endmacro %}

{# What is wrong in a panel, as rows of text; none on a sound one. #}
{% macro estimation_panel_faults(cohort, table_prefix) -%}
{%- set tables = [table_prefix ~ '_configurations', table_prefix ~ '_processes', table_prefix ~ '_pairs'] -%}
with configurations as (select * from {{ ref(cohort ~ '__configurations') }}),

processes as (select * from {{ ref(cohort ~ '__processes') }}),

pairs as (select * from {{ ref(cohort ~ '__pairs') }}),

counted as (
    select
        configuration_id, count(distinct training_seed) filter (where eligible) as eligible_seed_count,
        count(*) filter (where completed) as completed_count,
        coalesce(bool_or(known_memory_failure) filter (where eligible), false) as known_memory_failure
    from processes
    group by configuration_id
),

pair_sizes as (select pair_id, count(*) as process_count from processes group by pair_id),

faults as (
    select 'configuration ' || configurations.configuration_id as what
    from configurations
    left join counted on configurations.configuration_id = counted.configuration_id
    where
        counted.eligible_seed_count is distinct from configurations.eligible_seed_count
        or counted.completed_count is distinct from configurations.completed_processes
        or counted.known_memory_failure is distinct from configurations.known_memory_failure
        or configurations.unresolved is distinct from (configurations.eligible_seed_count < configurations.required_seeds)
        or configurations.unresolved is distinct from (configurations.observed_state = 'unresolved')
    union all
    select 'process ' || experiment_id
    from processes
    where configuration_id not in (select configuration_id from configurations)
    union all
    select 'pair ' || coalesce(pairs.pair_id, pair_sizes.pair_id)
    from pairs
    full join pair_sizes on pairs.pair_id = pair_sizes.pair_id
    where pair_sizes.process_count is distinct from 2 or pairs.pair_id is null
)

select what
from faults
where {{ are_of_one_release(tables) }}
{%- endmacro %}
