-- One row per attempt and stage its trace shows. Of a failed attempt the peaks are observations, not demand.
with stages as (select * from {{ ref('stg_release__admission_stages') }})

select
    attempt_id, phase, slot_id, candidate_id, role, observed_peak_mib, sampled_duration_seconds, completed_process,
    failure_kind, source_path, row_number
from stages
