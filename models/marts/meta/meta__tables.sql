-- One row per mart, those still without a model included: cohort, unit, grain, what else shows the same experiments,
-- and whether there is anything in it. loaded, no_data (its table is not in the release), refused, or unbound (its
-- table is in raw, but nobody has said which of its columns means what).
with files as (
    select table_name, max_by(status, position) as status
    from {{ source('loader', 'files') }}
    inner join {{ source('loader', 'loads') }} using (release_id)
    where status <> 'absent'
    group by table_name
    union all
    select distinct 'archives', 'loaded' from {{ source('loader', 'archives') }}
),

counts as (select relation, found from {{ ref('meta__found_counts') }} where quantity = 'rows'),

described as (
    {%- if execute -%}
    {%- for name in evidence_marts() %}
    {%- set node = node_named(name) %}
    select
        '{{ node.schema }}.{{ node.alias }}' as relation, '{{ node.meta.cohort }}' as cohort,
        '{{ node.meta.unit_of_observation }}' as unit_of_observation,
        '{{ node.constraints[0].columns | join(", ") }}' as grain_key,
        {{ sql_text(node.meta.get('overlaps', []) | join(', ') or none) }} as overlapping_marts,
        '{{ node.meta.source_table }}' as table_name, true as is_bound
    union all
    {%- endfor -%}
    {%- endif %}
    select mart, cohort, unit_of_observation, null, nullif(replace("overlaps", ';', ', '), ''), view_name, false
    from {{ ref('release_views') }}
    where not is_header_known
)

select
    described.relation, described.cohort, described.unit_of_observation, described.grain_key, described.overlapping_marts,
    described.table_name,
    case
        when files.status is null then 'no_data'
        when files.status = 'refused' then 'refused'
        when described.is_bound then 'loaded'
        else 'unbound'
    end as status,
    cast(case when described.is_bound then counts.found else raw_counts.found end as bigint) as row_count
from described
left join files on described.table_name = files.table_name
left join counts on described.relation = counts.relation
left join counts as raw_counts on raw_counts.relation = 'raw.' || described.table_name
