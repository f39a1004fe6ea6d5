{# What the YAML of the marts promises, read from dbt's graph when a model or test runs. #}

{% macro node_named(name) -%}
    {{ return(graph.nodes['model.' ~ project_name ~ '.' ~ name]) }}
{%- endmacro %}

{% macro node_of(relation) -%}
    {%- for node in graph.nodes.values() if node.resource_type == 'model'
        and node.schema == relation.schema and node.alias == relation.identifier -%}
        {{ return(node) }}
    {%- endfor -%}
{%- endmacro %}

{% macro is_measure(column) -%} {{ return('unit' in column.meta) }} {%- endmacro %}

{# The comment a database client shows: what it is, its unit, how it combines, what absence means. #}
{% macro column_comment(column) -%}
    {%- set parts = [column.description | trim] -%}
    {%- if column.meta.unit -%} {%- do parts.append('Unit: ' ~ column.meta.unit ~ '.') -%} {%- endif -%}
    {%- if column.meta.additivity -%}
        {%- do parts.append({
            'additive': 'May be summed within this mart.',
            'max_only': 'Combines by maximum only: never sum or average it.',
            'never': 'Does not combine over rows.',
        }[column.meta.additivity]) -%}
    {%- endif -%}
    {%- if column.meta.absence -%} {%- do parts.append('NULL: ' ~ column.meta.absence) -%} {%- endif -%}
    {{ return(parts | join(' ')) }}
{%- endmacro %}

{% macro comment_on_columns() -%}
    {%- if execute -%}
    comment on table {{ this.include(database=false) }} is '{{ model.description | trim | replace("'", "''") }}';
    {%- for column in model.columns.values() %}
    comment on column {{ this.include(database=false) }}.{{ column.name }} is '{{ column_comment(column) | replace("'", "''") }}';
    {%- endfor -%}
    {%- endif -%}
{%- endmacro %}

{% macro sql_text(value) -%} {%- if value is none -%} null {%- else -%} '{{ value | string | replace("'", "''") }}' {%- endif -%} {%- endmacro %}
