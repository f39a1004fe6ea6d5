-- Guards: within + above + failure of a configuration are its eligible runs, within + above its completions.
select configuration_id
from {{ ref('historical__configurations') }}
where
    within_margin_processes + above_margin_processes + memory_failure_processes <> eligible_processes
    or within_margin_processes + above_margin_processes <> completed_eligible_processes
