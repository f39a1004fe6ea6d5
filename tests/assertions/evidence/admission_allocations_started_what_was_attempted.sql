-- Guards: an allocation with a started process is an attempt, one without is none (2.9).
select coalesce(allocations.slot_id, attempts.slot_id) as slot_id
from {{ ref('admission__allocations') }} as allocations
full join {{ ref('admission__attempts') }} as attempts
    on allocations.slot_id = attempts.slot_id and allocations.job_id = attempts.job_id
where
    {{ are_of_one_release(['admission_attempts', 'admission_allocations']) }}
    and coalesce(allocations.process_started, false) is distinct from (attempts.attempt_id is not null)
