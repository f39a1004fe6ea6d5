-- Guards: the peak of an attempt is of a completed one; the sampled peak of a failure stands in the stage rows only (3.2).
select attempt_id
from {{ ref('admission__attempts') }}
where peak_mib is not null and not completed_final_operations
