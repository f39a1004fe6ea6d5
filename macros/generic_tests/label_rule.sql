{% test label_rule(model) %}
{# The label rule said the other way round than configuration_label(): as what each label implies, and when. #}
with judged as (
    select
        *,
        planned_repetitions <> 1 and eligible_run_count >= 3 and eligible_seed_count >= 3 as is_resolved
    from {{ model }}
)

select *
from judged
where (label = 'not_repeated') is distinct from (planned_repetitions = 1)
    or (label = 'unresolved') is distinct from (planned_repetitions <> 1 and not is_resolved)
    or (label = 'memory_failure') is distinct from (is_resolved and memory_failure_run_count > 0)
    or (label = 'above_margin') is distinct from (
        is_resolved and memory_failure_run_count = 0 and above_margin_run_count > 0
    )
    or (label = 'within_margin') is distinct from (is_resolved and within_margin_run_count = eligible_run_count)
    or eligible_run_count <> within_margin_run_count + above_margin_run_count + memory_failure_run_count
    or (max_completed_run_peak_mib is null) is distinct from (completed_run_count = 0)
{% endtest %}
