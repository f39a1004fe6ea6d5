-- Guards: stage and work rows belong to an attempt of the same slot, and an attempt has exactly one work row (3.2).
with attempts as (select attempt_id, slot_id from {{ ref('admission__attempts') }}),

details as (
    select attempt_id, slot_id from {{ ref('admission__stages') }}
    union
    select attempt_id, slot_id from {{ ref('admission__realized_work') }}
),

broken as (
    select details.attempt_id
    from details
    left join attempts on details.attempt_id = attempts.attempt_id and details.slot_id = attempts.slot_id
    where attempts.attempt_id is null
    union all
    select attempts.attempt_id
    from attempts
    left join {{ ref('admission__realized_work') }} as work on attempts.attempt_id = work.attempt_id
    where {{ are_of_one_release(['admission_attempts', 'admission_realized_work']) }} and work.attempt_id is null
)

select attempt_id
from broken
where {{ are_of_one_release(['admission_attempts', 'admission_stages', 'admission_realized_work']) }}
