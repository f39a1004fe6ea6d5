{# Keep the outcome of the last run of each test, so that a reader of the file sees what was checked. #}
{% macro store_test_results(results) -%}
    {%- if execute %}
    create schema if not exists meta;
    create table if not exists meta.test_results (
        test_name varchar primary key, status varchar not null, failures bigint, checked_at timestamp not null
    );
    {%- set rows = [] -%}
    {%- for result in results if result.node.resource_type in ('test', 'unit_test') -%}
        {%- do rows.append("('" ~ result.node.name ~ "', '" ~ result.status ~ "', "
            ~ (result.failures if result.failures is not none else 'null') ~ ", cast('"
            ~ run_started_at.strftime("%Y-%m-%d %H:%M:%S") ~ "' as timestamp))") -%}
    {%- endfor -%}
    {%- if rows %}
    insert or replace into meta.test_results values {{ rows | join(', ') }};
    {%- endif %}
    {%- endif %}
{%- endmacro %}
