-- One row per attempt with a training log: the failure kind its text gives, and the largest step it proves.
with events as ({{ shown_evidence('log_events') }})

select
    experiment_id, job_id,
    max(member_path) as member_path,
    max(name) filter (where event = 'diagnosis') as log_failure_kind,
    max(cast(step as bigint)) filter (where event = 'step' and name = 'exact') as largest_step,
    min(line_number) filter (where event = 'failure_phrase') as deciding_line,
    arg_min(text, line_number) filter (where event = 'failure_phrase') as deciding_text
from events
group by experiment_id, job_id
