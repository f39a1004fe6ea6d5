-- One row per count that somebody may have published: relation, quantity, member and what is found here.
{%- set grouped = [
    ('historical__configurations', ['observed_state', 'study', 'used_in_transfer_tasks']),
    ('historical__runs', ['observed_state', 'study']),
    ('historical__attempts', ['eligible', 'recorded_outcome']),
    ('transfer__queries', ['track']),
    ('transfer__tasks', ['track']),
    ('admission__candidates', ['evaluation_state']),
    ('admission__attempts', ['state', 'role', 'completed_final_operations']),
    ('larger_models__configurations', ['observed_state']),
    ('larger_models__processes', ['eligible', 'launched', 'state']),
    ('expanded_host__configurations', ['observed_state']),
    ('expanded_host__processes', ['eligible', 'launched', 'state']),
] -%}
{#- (mart, quantity, member, condition) -#}
{%- set special = [
    ('historical__configurations', 'observed_state of boundary', 'observed_state', "study = 'boundary'"),
    ('historical__configurations', 'observed_state of four_gpu', 'observed_state', "study = 'four_gpu'"),
    ('historical__runs', 'principal and control',
        "case when study = 'batch_logging_control' then 'control' else 'principal' end", 'true'),
    ('historical__attempts', 'original and control',
        "case when study = 'batch_logging_control' then 'control' else 'original' end", 'true'),
    ('historical__attempts', 'recorded_outcome of excluded', 'recorded_outcome', 'not eligible'),
    ('historical__attempts', 'documented_completion of temporal_100', 'documented_completion',
        "study = 'temporal_100'"),
    ('larger_models__configurations', 'known_memory_failure of unresolved', 'known_memory_failure', 'unresolved'),
    ('larger_models__processes', 'cause of unresolved',
        "case when failure_stage = 'not_started' then 'not_started'
            when failure_kind = 'vllm_executor_failure' then 'host_memory' else 'early_setup' end",
        "state = 'unresolved'"),
] -%}
{%- set sums = [
    ('historical__configurations', ['recorded_attempts', 'eligible_processes', 'excluded_attempts']),
] -%}
{%- for mart in evidence_marts() %}
select '{{ mart.replace('__', '.') }}' as relation, 'rows' as quantity, '' as member, count(*) as found
from {{ ref(mart) }}
union all
{%- endfor %}
{%- for mart, columns in grouped %}{% for column in columns %}
select '{{ mart.replace('__', '.') }}', '{{ column }}', cast({{ column }} as varchar), count(*)
from {{ ref(mart) }} group by {{ column }}
union all
{%- endfor %}{% endfor %}
{%- for mart, quantity, member, condition in special %}
select '{{ mart.replace('__', '.') }}', '{{ quantity }}', cast({{ member }} as varchar), count(*)
from {{ ref(mart) }} where {{ condition }} group by {{ member }}
union all
{%- endfor %}
{%- for mart, columns in sums %}{% for column in columns %}
select '{{ mart.replace('__', '.') }}', 'sum of {{ column }}', '', cast(sum({{ column }}) as bigint)
from {{ ref(mart) }}
union all
{%- endfor %}{% endfor %}
select 'transfer.queries', 'distinct target_configuration_id', '', count(distinct target_configuration_id)
from {{ ref('transfer__queries') }}
{%- for view, cohort, mart in unbound_views() %}
union all
select 'raw.{{ view }}', 'rows', '', count(*) from ({{ shown_edition(source('card', view)) }})
{%- endfor %}
{%- for table in ['attempt_exclusions', 'failure_annotations'] %}
union all
select 'raw.{{ table }}', 'rows', '', count(*) from ({{ shown_edition(source('release', table)) }})
{%- endfor %}
