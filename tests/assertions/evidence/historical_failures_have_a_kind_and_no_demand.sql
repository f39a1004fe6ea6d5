-- Guards: a failed run has a failure kind and no completed peak; a completed run the other way round (4.7).
select run_id
from {{ ref('historical__runs') }}
where
    (observed_state = 'memory_failure') is distinct from (failure_kind is not null)
    or (observed_state = 'memory_failure') is distinct from (completed_run_peak_mib is null)
    or (observed_state = 'memory_failure') = completed_requested_work
