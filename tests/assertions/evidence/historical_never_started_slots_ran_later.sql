-- Guards: a control condition that was never started has an eligible run from another job (3.1).
select conditions.experiment_id, conditions.job_id
from {{ ref('historical__never_started') }} as conditions
left join {{ ref('historical__runs') }} as runs
    on conditions.experiment_id = runs.experiment_id and conditions.job_id <> runs.job_id
where {{ are_of_one_release(['eligible_runs', 'not_started_conditions']) }} and runs.run_id is null
