-- Guards: what we derive is what was published. A difference is a finding: kept, printed, never blocking.
{%- for mart in ['historical__reconciliation', 'admission__reconciliation', 'transfer__reconciliation'] %}
select '{{ mart }}' as mart, entity, entity_id, quantity, published, derived
from {{ ref(mart) }}
where status = 'differs'
{%- if not loop.last %}
union all
{%- endif %}
{%- endfor %}
