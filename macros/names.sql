{# Where a model goes: a mart `<cohort>__<grain>` is table `<grain>` in schema `<cohort>`; other models keep their name
   in the schema of their layer. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {%- if node.resource_type == 'seed' -%} {{ custom_schema_name | trim }}
    {%- elif node.resource_type == 'model' and 'marts' in node.fqn -%} {{ node.name.split('__')[0] }}
    {%- elif node.resource_type == 'model' -%} {{ node.fqn[1] }}
    {%- else -%} {{ custom_schema_name or target.schema }}
    {%- endif -%}
{%- endmacro %}

{% macro generate_alias_name(custom_alias_name=none, node=none) -%}
    {%- if custom_alias_name -%} {{ custom_alias_name | trim }}
    {%- elif node.resource_type == 'model' and 'marts' in node.fqn -%} {{ node.name.split('__')[1] }}
    {%- else -%} {{ node.name }}
    {%- endif -%}
{%- endmacro %}

{# dbt would write the catalog, which is the stem of the file's name, into every view: a renamed or copied warehouse
   would lose them. So no relation names its catalog. #}
{% macro ref() %}
    {%- set version = kwargs.get('version') or kwargs.get('v') -%}
    {%- do return(builtins.ref(*varargs, version=version).include(database=false)) -%}
{% endmacro %}

{% macro source() %}
    {%- do return(builtins.source(*varargs).include(database=false)) -%}
{% endmacro %}
