-- Guards: recorded = eligible + excluded, for each configuration and over all (683 = 612 + 71), and the attempts and
-- runs that are listed are as many (spec section 6, identities).
with configurations as (select * from {{ ref('historical__configurations') }}),

totals as (
    select
        sum(recorded_attempts) as recorded, sum(eligible_processes) as eligible, sum(excluded_attempts) as excluded,
        (select count(*) from {{ ref('historical__attempts') }}) as attempt_rows,
        (select count(*) from {{ ref('historical__attempts') }} where not eligible) as excluded_rows,
        (select count(*) from {{ ref('historical__runs') }}) as run_rows
    from configurations
)

select configuration_id as what
from configurations
where recorded_attempts <> eligible_processes + excluded_attempts
union all
select 'totals: ' || recorded || ' recorded, ' || attempt_rows || ' attempts, ' || run_rows || ' runs'
from totals
where
    {{ are_of_one_release(['all_configurations', 'recorded_attempts', 'eligible_runs']) }}
    and (recorded <> attempt_rows or eligible <> run_rows or excluded <> excluded_rows or recorded <> eligible + excluded)
