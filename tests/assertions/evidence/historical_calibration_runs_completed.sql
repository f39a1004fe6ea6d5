-- Guards: every run of the sampling calibration completed (4.7), although its step counter may have stayed at 0.
select run_id
from {{ ref('historical__runs') }}
where study = 'sampling_calibration' and not completed_requested_work
