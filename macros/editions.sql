{# The rows of one raw table that the marts show: those of the last named release that holds it. Several editions may
   lie in raw side by side; a grain key holds within one. #}
{% macro shown_edition(relation) -%}
    select raw_table.*
    from {{ relation }} as raw_table
    inner join {{ source('loader', 'selected') }} as selected
        on raw_table.release_id = selected.release_id and raw_table.source_path = selected.source_path
    where selected.table_name = '{{ relation.identifier }}'
{%- endmacro %}

{# True when every named table is shown, and from one and the same release: what is derived over two tables must not
   take one of them from another edition, and a test over both must not fail because one is absent. #}
{% macro are_of_one_release(table_names) -%}
    (select count(*) = {{ table_names | length }} and count(distinct release_id) = 1 from {{ source('loader', 'selected') }}
    where table_name in ('{{ table_names | join("', '") }}'))
{%- endmacro %}
