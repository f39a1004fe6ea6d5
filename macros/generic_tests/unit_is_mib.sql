{% test unit_is_mib(model) %}
{# Every measure in MiB is finite and within its declared bounds. `max: device_capacity` bounds measured device totals by
   the capacity of the cohort's device: a value beyond it was no MiB, or no single device. #}
{%- if execute %}
{%- set node = node_of(model) %}
{%- set capacity %}
(select devices.capacity_mib from {{ ref('devices') }} as devices
    inner join {{ ref('cohorts') }} as cohorts on devices.device_name = cohorts.device_name
    where cohorts.cohort = '{{ node.meta.cohort }}')
{%- endset %}
{%- for column in node.columns.values() if column.meta.get('unit') == 'MiB' %}
select '{{ column.name }}' as column_name, cast({{ column.name }} as varchar) as found
from {{ model }}
where {{ column.name }} is not null and not (
    {# DuckDB ranks NaN above every number, so it is asked for by name. #}
    isfinite(cast({{ column.name }} as double))
    and abs({{ column.name }}) < 1e9
    {%- if 'min' in column.meta %} and {{ column.name }} >= {{ column.meta.min }}{% endif %}
    {%- if column.meta.get('max') == 'device_capacity' %} and {{ column.name }} <= {{ capacity }}
    {%- elif 'max' in column.meta %} and {{ column.name }} <= {{ column.meta.max }}{% endif %}
)
union all
{%- endfor %}
select null, null where false
{%- else %}
-- depends_on: {{ ref('devices') }} {{ ref('cohorts') }}
{%- endif %}
{% endtest %}
