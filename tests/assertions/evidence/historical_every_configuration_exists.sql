-- Guards: every run and attempt belongs to a configuration of the release (4.7).
with referring as (
    select configuration_id from {{ ref('historical__runs') }}
    union all
    select configuration_id from {{ ref('historical__attempts') }}
)

select configuration_id
from referring
where
    {{ are_of_one_release(['all_configurations', 'eligible_runs', 'recorded_attempts']) }}
    and configuration_id not in (select configuration_id from {{ ref('historical__configurations') }})
