-- One row per piece of evidence that a published attempt lacks in the archives, and what that blocks.
with published as (
    select experiment_id, job_id, study, attempt_id, eligible
    from {{ ref('historical__attempts') }}
    where {{ has_evidence_beside('recorded_attempts') }}
),

attempts as (select * from {{ ref('evidence__attempts') }}),

pieces as (
    select
        published.*, attempts.trial_member, attempts.trace_member, attempts.log_member
    from published
    left join attempts on published.experiment_id = attempts.experiment_id and published.job_id = attempts.job_id
)

{% for member, piece, blocked in [
    ('trial_member', 'trial record', 'whether it completed'),
    ('trace_member', 'device trace', 'its peak and stages'),
    ('log_member', 'training log', 'why it failed'),
] %}
select attempt_id, '{{ piece }}' as missing_piece, experiment_id, job_id, study, eligible, '{{ blocked }}' as blocks
from pieces
where {{ member }} is null
{%- if not loop.last %}
union all
{% endif %}
{%- endfor %}
