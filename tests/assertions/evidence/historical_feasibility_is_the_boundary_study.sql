-- Guards: the two-state view shows the boundary configurations: safe is exactly within_margin (3.4).
with boundary as (
    select
        model_family, legacy_dataset_id as dataset, configuration_level, observed_state, mean_completed_run_peak_mib,
        completed_eligible_processes, within_margin_processes
    from {{ ref('historical__configurations') }}
    where study = 'boundary'
)

select feasibility.model_family, feasibility.dataset, feasibility.configuration_level
from {{ ref('historical__feasibility') }} as feasibility
full join boundary using (model_family, dataset, configuration_level)
where
    {{ are_of_one_release(['all_configurations', 'configuration_feasibility']) }}
    and (
        feasibility.safe is distinct from (boundary.observed_state = 'within_margin')
        or feasibility.successful_repetitions is distinct from boundary.completed_eligible_processes
        or feasibility.safe_repetitions is distinct from boundary.within_margin_processes
        or round(feasibility.mean_success_peak_mib, 6) is distinct from round(boundary.mean_completed_run_peak_mib, 6)
    )
