{% test no_cross_cohort_rows(model) %}
{# Every row of a mart comes from a file registered for the mart's own cohort: what must not be summed never meets.
   Attached once, to the table of tables, and reads every mart that keeps the place of its rows. #}
{%- for name in evidence_marts() %}
-- depends_on: {{ ref(name) }}
{%- endfor %}
with registered as (
    select cohort, path from {{ ref('release_views') }}
    union all
    select cohort, unnest(string_split(path || ';' || coalesce(aliases, ''), ';')) from {{ ref('release_tables') }}
),

stems as (select cohort, regexp_replace(path, '\.[a-z]+$', '') as stem from registered)
{%- if execute %}
{%- for name in evidence_marts() %}
{%- set node = node_named(name) %}
{%- if 'source_path' in node.columns %}
select '{{ name }}' as mart, source_path, count(*) as row_count
from {{ node.schema }}.{{ node.alias }}
where regexp_replace(source_path, '\.[a-z]+$', '') not in (select stem from stems where cohort = '{{ node.meta.cohort }}')
group by source_path
union all
{%- endif %}
{%- endfor %}
{%- endif %}
select null, null, null from {{ model }} where false
{% endtest %}
