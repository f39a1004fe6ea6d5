{% test missing_is_not_zero(model) %}
{# No measure is 0 unless its YAML says that 0 is real there, and none is negative unless it is a difference. A measure
   that can be missing has a twin; one without a twin is never NULL. `is distinct from` makes NULL fail. #}
{%- if execute %}
{%- set columns = node_of(model).columns %}
{%- for column in columns.values() if is_measure(column) %}
{%- set floor = '>= 0' if column.meta.get('zero_is_real') else '> 0' %}
select '{{ column.name }}' as column_name, cast({{ column.name }} as varchar) as found
from {{ model }}
where
    {%- if column.name ~ '_absence' in columns %} {{ column.name }} is not null and {%- endif %}
    {% if column.meta.get('is_negative_real') %} {{ column.name }} is null {%- else %} ({{ column.name }} {{ floor }}) is distinct from true {%- endif %}
union all
{%- endfor %}
select null, null where false
{%- endif %}
{% endtest %}
