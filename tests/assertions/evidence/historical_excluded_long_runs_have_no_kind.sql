-- Guards: the excluded attempts of the 100-step study carry no failure kind, and only they tell a last step (4.7).
select attempt_id
from {{ ref('historical__attempts') }}
where
    (study = 'temporal_100' and not eligible and failure_kind is not null)
    or (last_completed_step_if_documented is not null and not (study = 'temporal_100' and not eligible))
