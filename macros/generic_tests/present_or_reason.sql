{% test present_or_reason(model) %}
{# Of a value and its reason of absence exactly one is set, in every row, for every column with a twin. #}
{%- if execute %}
{%- set columns = node_of(model).columns %}
{%- for column in columns.values() if column.name ~ '_absence' in columns %}
select '{{ column.name }}' as column_name, cast({{ column.name }} as varchar) as found, {{ column.name }}_absence as reason
from {{ model }}
where ({{ column.name }} is null) = ({{ column.name }}_absence is null)
union all
{%- endfor %}
select null, null, null where false
{%- endif %}
{% endtest %}
