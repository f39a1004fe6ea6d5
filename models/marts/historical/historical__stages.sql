-- One row per eligible run and stage its trace shows. A stage that was never sampled has no row: unseen is not 0.
with stages as (select * from {{ ref('stg_card__stage_measurements') }})

select run_id, stage, configuration_id, observed_peak_mib, coverage, phase_memory_csv, source_path, row_number
from stages
