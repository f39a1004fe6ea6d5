{# Operating limit in MiB of the device a cohort was measured on; inclusive: a peak equal to it is within. #}
{% macro operating_limit_mib(cohort) -%}
    (select devices.operating_limit_mib
    from {{ ref('devices') }} as devices
    inner join {{ ref('cohorts') }} as cohorts on devices.device_name = cohorts.device_name
    where cohorts.cohort = '{{ cohort }}')
{%- endmacro %}

{# Operating limit minus a completed peak, in MiB; NULL where there is no such peak. The cast is for the engines that
   widen the type of a difference. #}
{% macro headroom(limit_mib, peak_mib) -%}
    cast({{ limit_mib }} - {{ peak_mib }} as decimal(18, 6))
{%- endmacro %}

{# The label of one run, from columns is_completed, is_memory_failure and completed_peak_mib. What no rule covers stays
   NULL: such a run is not eligible. #}
{% macro run_label(limit_mib) -%}
    case
        when is_completed and completed_peak_mib <= {{ limit_mib }} then 'within_margin'
        when is_completed and completed_peak_mib > {{ limit_mib }} then 'above_margin'
        when not is_completed and is_memory_failure then 'memory_failure'
    end
{%- endmacro %}

{# Counts a configuration's label rests on, from columns is_eligible, training_seed, label and completed_peak_mib of its
   runs. The peak combines by maximum; only completed runs have one. #}
{% macro label_counts() -%}
    count(*) filter (where is_eligible) as eligible_run_count,
    count(distinct training_seed) filter (where is_eligible) as eligible_seed_count,
    count(*) filter (where is_eligible and label in ('within_margin', 'above_margin')) as completed_run_count,
    count(*) filter (where is_eligible and label = 'within_margin') as within_margin_run_count,
    count(*) filter (where is_eligible and label = 'above_margin') as above_margin_run_count,
    count(*) filter (where is_eligible and label = 'memory_failure') as memory_failure_run_count,
    max(completed_peak_mib) filter (where is_eligible) as max_completed_run_peak_mib
{%- endmacro %}

{# The four-label rule of the card, from the columns of label_counts() and planned_repetitions. Three eligible runs with
   three distinct seeds, else unresolved: one eligible failure does not resolve an incomplete configuration. A setting
   planned with one process is not_repeated, which is no outcome. #}
{% macro configuration_label() -%}
    case
        when planned_repetitions = 1 then 'not_repeated'
        when eligible_run_count < 3 or eligible_seed_count < 3 then 'unresolved'
        when memory_failure_run_count > 0 then 'memory_failure'
        when above_margin_run_count > 0 then 'above_margin'
        when within_margin_run_count = eligible_run_count then 'within_margin'
    end
{%- endmacro %}
