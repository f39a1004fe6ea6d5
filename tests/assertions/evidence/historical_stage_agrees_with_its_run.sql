-- Guards: every stage row has a run, with the same configuration and trace file (4.7).
select stages.run_id, stages.stage
from {{ ref('historical__stages') }} as stages
left join {{ ref('historical__runs') }} as runs on stages.run_id = runs.run_id
where
    {{ are_of_one_release(['eligible_runs', 'stage_measurements']) }}
    and (
        runs.run_id is null
        or stages.configuration_id <> runs.configuration_id
        or stages.phase_memory_csv <> runs.phase_memory_csv
    )
