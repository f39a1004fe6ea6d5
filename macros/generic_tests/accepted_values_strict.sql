{% test accepted_values_strict(model) %}
{# Every word is in the vocabulary its column names. NULL is a word of no vocabulary: it passes only in a column that is
   declared nullable (dbt's accepted_values lets it pass anywhere). #}
-- depends_on: {{ ref('int_registry__words') }}
{%- if execute %}
{%- set node = node_of(model) %}
{%- for column in node.columns.values() if column.meta.get('vocabulary') %}
{%- set is_nullable = column.name not in node.constraints[0].columns
    and column.constraints | selectattr('type', 'equalto', 'not_null') | list | length == 0 %}
select '{{ column.name }}' as column_name, {{ column.name }} as found
from {{ model }}
where {% if is_nullable %} {{ column.name }} is not null and {% endif %} not exists (
    select 1 from {{ ref('int_registry__words') }} as words
    where words.vocabulary = '{{ column.meta.vocabulary }}' and words.word = {{ column.name }}
)
union all
{%- endfor %}
select null, null where false
{%- endif %}
{% endtest %}
