-- One row per allocation of a slot. An allocation without a started process is no attempt.
with allocations as (select * from {{ ref('stg_release__admission_allocations') }})

select slot_id, job_id, status, process_started, error, source_path, row_number
from allocations
