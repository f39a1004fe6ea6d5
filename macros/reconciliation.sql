{# One comparison of a published value with ours, as rows (entity, entity_id, quantity, published, derived,
   difference, status). Both sides stay; `difference` (ours minus published) is set for numbers. Sides that are both
   missing agree: missing is a value of its own here. #}
{% macro comparison(entity, entity_id, quantity, published, derived, relation, is_number=false) -%}
    select
        '{{ entity }}' as entity, {{ entity_id }} as entity_id, '{{ quantity }}' as quantity,
        cast({{ published }} as varchar) as published, cast({{ derived }} as varchar) as derived,
        {% if is_number -%} cast({{ derived }} as double) - cast({{ published }} as double) {%- else -%} cast(null as double) {%- endif %} as difference,
        case when {{ published }} is not distinct from {{ derived }} then 'agrees' else 'differs' end as status
    from {{ relation }}
{%- endmacro %}
