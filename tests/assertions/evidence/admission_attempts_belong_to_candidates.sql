-- Guards: every attempt has a candidate; its screening seed is none of the evaluation seeds (trap 51); indices are
-- contiguous from 1 and only a first attempt with a repair reason has a second (5.4).
with attempts as (select * from {{ ref('admission__attempts') }}),

numbered as (
    select
        *, row_number() over (partition by slot_id order by attempt_index) as position,
        lag(repair_reason) over (partition by slot_id order by attempt_index) as previous_repair_reason
    from attempts
),

screens as (select distinct training_seed from attempts where role = 'screen')

select attempt_id
from numbered
where
    (
        {{ are_of_one_release(['admission_candidates', 'admission_attempts']) }}
        and candidate_id not in (select candidate_id from {{ ref('admission__candidates') }})
    )
    or (role = 'evaluation' and training_seed in (select training_seed from screens))
    or attempt_index <> position
    or (position > 1 and previous_repair_reason is null)
