{# Strict casts from the text of `raw`. They accept exactly what loaders/values.py accepts and stop the build, naming
   file and line, on anything else: DuckDB's own casts would read `1_000`, `1e3`, ` 35730`, `t` and `yes` as something.
   A spelling of "missing" becomes NULL, never a number; what the absence means is said in the mart. #}

{# Not `in (...)`: DuckDB turns a list of five constants or more into a join of its own, one per column, and a staging
   view of 57 columns then takes 440 ms instead of 33. #}
{% macro is_absent(column) -%}
    list_contains([{{ absence_spellings() }}], {{ column }})
{%- endmacro %}

{% macro strict_cast(column, pattern, type) -%}
    case
        when {{ column }} is null or {{ is_absent(column) }} then null
        when regexp_full_match({{ column }}, '{{ pattern }}') then cast({{ column }} as {{ type }})
        else {{ unreadable(column) }}
    end
{%- endmacro %}

{% macro unreadable(column) -%}
    error('{{ column }} is ''' || {{ column }} || ''' at ' || source_path || ':' || row_number
        || ', which is not how this column is spelled')
{%- endmacro %}

{# A memory reading in MiB (1 MiB = 1,048,576 bytes). #}
{% macro mib(column) -%} {{ strict_cast(column, '-?[0-9]{1,12}(\\.[0-9]{1,6})?', 'decimal(18, 6)') }} {%- endmacro %}

{# A quantity that is no memory reading: seconds, ratios, means, predictions. #}
{% macro number(column) -%}
    {{ strict_cast(column, '-?[0-9]{1,18}(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?', 'double') }}
{%- endmacro %}

{% macro whole(column) -%} {{ strict_cast(column, '-?([0-9]{1,18}|[1-8][0-9]{18})', 'bigint') }} {%- endmacro %}

{# The release spells flags True/False in one table and 1/0 in another; the loader holds each table to its own. #}
{% macro flag(column) -%}
    case
        when {{ column }} is null or {{ is_absent(column) }} then null
        when {{ column }} in ('True', '1') then true
        when {{ column }} in ('False', '0') then false
        else {{ unreadable(column) }}
    end
{%- endmacro %}

{# Text stays text: a model may be called None. Only a blank cell is missing. #}
{% macro text(column) -%} nullif({{ column }}, '') {%- endmacro %}
