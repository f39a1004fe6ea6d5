-- Guards: each configuration has the eligible runs its study planned: 72x3 + 48x3 + 24x3 + ... + 12x1 = 612.
select configurations.configuration_id, studies.planned_repetitions, configurations.eligible_processes
from {{ ref('historical__configurations') }} as configurations
left join {{ ref('studies') }} as studies on configurations.study = studies.study
where studies.planned_repetitions is distinct from configurations.eligible_processes
