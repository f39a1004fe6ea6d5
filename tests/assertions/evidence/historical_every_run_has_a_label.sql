-- Guards: within + above + failure make up the runs (440 + 88 + 84 = 612): no run is left without a label of ours.
select run_id
from {{ ref('historical__runs') }}
where label is null
