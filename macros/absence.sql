{# The twin of a nullable measure: why it is missing, or NULL when it is there. `reasons` are (condition, reason) in
   order; what none explains was not recorded. Reasons are words of seeds/absence_reasons.csv. #}
{% macro absence(measure, reasons=[]) -%}
    case
        when {{ measure }} is not null then null
        {%- for condition, reason in reasons %}
        when {{ condition }} then '{{ reason }}'
        {%- endfor %}
        else 'not_recorded'
    end as {{ measure }}_absence
{%- endmacro %}
