-- Guards: the run ids of the eligible attempts are exactly the run ids of the runs (release format 4.7).
with attempts as (select run_id from {{ ref('historical__attempts') }} where eligible),

runs as (select run_id from {{ ref('historical__runs') }})

select coalesce(attempts.run_id, runs.run_id) as run_id
from attempts
full join runs on attempts.run_id = runs.run_id
where
    {{ are_of_one_release(['eligible_runs', 'recorded_attempts']) }}
    and (attempts.run_id is null or runs.run_id is null)
