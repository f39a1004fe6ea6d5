{% test unique_grain(model) %}
{# The grain of the YAML's primary key holds: no key twice, no key part missing. DuckDB enforces it at build; this also
   holds it where a file was made by something else. #}
{%- if execute %}
{%- set grain = node_of(model).constraints[0].columns %}
select {{ grain | join(', ') }}, count(*) as row_count
from {{ model }}
group by {{ grain | join(', ') }}
having count(*) > 1 or {{ grain | join(' is null or ') }} is null
{%- endif %}
{% endtest %}
