-- Guards: an attempt's configuration, slot and job are those of its run (4.7).
select attempts.attempt_id
from {{ ref('historical__attempts') }} as attempts
inner join {{ ref('historical__runs') }} as runs on attempts.run_id = runs.run_id
where
    {{ are_of_one_release(['eligible_runs', 'recorded_attempts']) }}
    and (
        attempts.configuration_id <> runs.configuration_id
        or attempts.experiment_id <> runs.experiment_id
        or attempts.job_id <> runs.job_id
        or attempts.study <> runs.study
    )
