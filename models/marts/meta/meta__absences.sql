-- One row per measure, meaning of its absence and spelling of it in the release: how often which.
-- What absence means is in the mart; how it was spelled (blank, nan, None, [N/A]) is in raw, and the two are joined by
-- the place of the row. A measure we derive has no spelling.
{% for name in evidence_marts() -%} -- depends_on: {{ ref(name) }}
{% endfor -%}
with spellings as (select coalesce(spelling, '') as spelling, spelling_name from {{ ref('absence_spellings') }})
{%- if execute -%}
{%- set parts = [] -%}
{%- for name in evidence_marts() -%}
{%- set node = node_named(name) -%}
{%- for column in node.columns.values() if column.name ~ '_absence' in node.columns and is_measure(column) -%}
{%- set is_derived = column.meta.get('is_derived', false) %}
{%- set part %}
select
    '{{ node.schema }}.{{ node.alias }}' as relation, '{{ column.name }}' as column_name,
    mart.{{ column.name }}_absence as absence_reason,
    {% if is_derived -%} 'derived' {%- else -%} coalesce(spellings.spelling_name, 'column_not_in_file') {%- endif %} as spelling_name,
    count(*) as row_count
from {{ node.schema }}.{{ node.alias }} as mart
{%- if not is_derived %}
left join ({{ shown_edition(api.Relation.create(schema='raw', identifier=node.meta.source_table)) }}) as found
    on mart.source_path = found.source_path and mart.row_number = found.row_number
left join spellings on found.{{ column.name }} = spellings.spelling
{%- endif %}
where mart.{{ column.name }}_absence is not null
group by all
{%- endset -%}
{%- do parts.append(part) -%}
{%- endfor -%}
{%- endfor %}
{{ parts | join('\nunion all\n') }}
{%- else %}
select 1
{%- endif %}
