-- One row per column of the evidence marts: unit, how it combines, what absence means, as the marts' YAML says.
{% for name in evidence_marts() -%} -- depends_on: {{ ref(name) }}
{% endfor -%}
{%- if execute -%}
{%- for name in evidence_marts() -%}
{%- set node = node_named(name) -%}
{%- set outer_loop = loop -%}
{%- for column in node.columns.values() %}
select
    '{{ node.schema }}.{{ node.alias }}' as relation, cast({{ loop.index }} as integer) as position,
    '{{ column.name }}' as column_name, '{{ column.data_type }}' as data_type,
    {{ sql_text(column.meta.get('unit')) }} as unit, {{ sql_text(column.meta.get('additivity')) }} as additivity,
    {{ sql_text(column.meta.get('method')) }} as method, {{ sql_text(column.meta.get('vocabulary')) }} as vocabulary,
    {{ sql_text(column.meta.get('absence')) }} as absence, {{ sql_text(column_comment(column)) }} as comment
{% if not (loop.last and outer_loop.last) %}union all{% endif %}
{%- endfor -%}
{%- endfor -%}
{%- else -%}
select 1
{%- endif %}
