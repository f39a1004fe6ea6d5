-- Guards: an attempt is eligible exactly when it names a run, and then both ids end in the same digits (3.1).
select attempt_id, run_id, eligible
from {{ ref('historical__attempts') }}
where
    eligible is distinct from (run_id is not null)
    or replace(run_id, 'run-', 'attempt-') <> attempt_id
