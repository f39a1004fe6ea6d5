-- One row per configuration with the counts of its eligible runs and the label our rule gives it.
-- A configuration without any run is here too: it is unresolved, not absent.
with configurations as (select * from {{ ref('stg_card__all_configurations') }}),

studies as (select * from {{ ref('studies') }}),

runs as (select * from {{ ref('int_historical__runs_labelled') }}),

counted as (
    select
        configurations.configuration_id, studies.planned_repetitions,
        {{ label_counts() }},
        avg(cast(completed_peak_mib as double)) as mean_completed_run_peak_mib
    from configurations
    left join studies on configurations.study = studies.study
    left join runs on configurations.configuration_id = runs.configuration_id
    group by configurations.configuration_id, studies.planned_repetitions
)

select *, {{ configuration_label() }} as label
from counted
