-- One row per boundary configuration in the two-state view of the archival tables: `safe` merges above-margin and
-- failure into false. The same experiments as in historical.configurations.
with feasibility as (select * from {{ ref('stg_card__configuration_feasibility') }})

select
    model_family, dataset, configuration_level, algorithm, safe, safe_repetitions, successful_repetitions,
    mean_success_peak_mib,
    {{ absence('mean_success_peak_mib', [('successful_repetitions = 0', 'no_eligible_completion')]) }},
    source_path, row_number
from feasibility
