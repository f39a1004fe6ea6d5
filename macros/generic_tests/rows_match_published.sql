{% test rows_match_published(model) %}
{# Joined from the expected list, so a whole missing partition fails: it is found 0 times. #}
select relation, quantity, member, expected_count, found_count, source_document, source_place
from {{ model }}
where expected_count is distinct from found_count
{% endtest %}
