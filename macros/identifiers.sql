{# The release's hashed identifiers (release format 4.1): SHA-256 of compact JSON, the first sixteen digits, a prefix. #}
{% macro hashed_id(prefix, json_text) -%}
    '{{ prefix }}-' || substr(sha256({{ json_text }}), 1, 16)
{%- endmacro %}

{% macro json_array(texts) -%}
    '[' || {% for text in texts %}to_json({{ text }}){% if not loop.last %} || ',' || {% endif %}{% endfor %} || ']'
{%- endmacro %}

{# Keys in order of their names; a number stands bare, a text quoted. `values` are (key, expression, is_number). #}
{% macro json_object(values) -%}
    '{' ||
    {%- for key, expression, is_number in values | sort(attribute=0) %}
    '"{{ key }}":' || {% if is_number %}{{ expression }}{% else %}to_json({{ expression }}){% endif %}{% if not loop.last %} || ',' ||{% endif %}
    {%- endfor %} || '}'
{%- endmacro %}
