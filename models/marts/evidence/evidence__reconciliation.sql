-- One row per published value of a run, stage, attempt or configuration, the value that raw evidence alone gives, and
-- the archive member that proves it. Only where tables and archives are of one release: otherwise nothing is claimed.
with runs as (select * from {{ ref('historical__runs') }} where {{ has_evidence_beside('eligible_runs') }}),

stages as (
    select stages.*, runs.experiment_id, runs.job_id
    from {{ ref('historical__stages') }} as stages
    inner join runs on stages.run_id = runs.run_id
    where {{ has_evidence_beside('stage_measurements') }}
),

excluded as (
    select * from {{ ref('historical__attempts') }}
    where not eligible and {{ has_evidence_beside('recorded_attempts') }}
),

configurations as (
    select configuration_id, study, observed_state
    from {{ ref('historical__configurations') }}
    where {{ has_evidence_beside('all_configurations') }}
),

attempts as (select * from {{ ref('evidence__attempts') }}),

stage_peaks as (select * from {{ ref('evidence__stage_peaks') }}),

members as ({{ shown_evidence('members') }}),

studies as (select * from {{ ref('studies') }}),

from_runs as (
    select
        runs.*, attempts.experiment_id is not null as has_evidence, attempts.label as raw_label,
        attempts.is_completed as raw_is_completed, attempts.failure_kind as raw_failure_kind,
        attempts.terminal_stage as raw_terminal_stage, attempts.observed_peak_mib as raw_peak_mib,
        attempts.trial_member, attempts.trace_member, attempts.log_member
    from runs
    left join attempts on runs.experiment_id = attempts.experiment_id and runs.job_id = attempts.job_id
),

from_stages as (
    select
        stages.run_id || '/' || stages.stage as stage_id, stages.observed_peak_mib, stages.coverage,
        stage_peaks.observed_peak_mib as raw_peak_mib, stage_peaks.coverage as raw_coverage, attempts.trace_member
    from stages
    left join stage_peaks
        on stages.experiment_id = stage_peaks.experiment_id and stages.job_id = stage_peaks.job_id
            and stages.stage = stage_peaks.stage
    left join attempts on stages.experiment_id = attempts.experiment_id and stages.job_id = attempts.job_id
),

from_excluded as (
    select
        excluded.attempt_id, excluded.recorded_outcome, excluded.failure_kind,
        attempts.failure_kind as raw_failure_kind, attempts.log_member, attempts.trial_member,
        case
            when attempts.is_completed then 'completed'
            when attempts.trial_member is null then 'no_trial_record'
            when attempts.label = 'memory_failure' then 'memory_failure'
            else 'other_failure'
        end as raw_outcome
    from excluded
    left join attempts on excluded.experiment_id = attempts.experiment_id and excluded.job_id = attempts.job_id
),

counted as (
    select
        configurations.configuration_id, configurations.observed_state, studies.planned_repetitions,
        {{ label_counts() }}
    from configurations
    left join studies on configurations.study = studies.study
    left join (
        select
            configuration_id, training_seed, raw_label as label, raw_label is not null as is_eligible,
            case when raw_is_completed then raw_peak_mib end as completed_peak_mib
        from from_runs
    ) as judged on configurations.configuration_id = judged.configuration_id
    group by configurations.configuration_id, configurations.observed_state, studies.planned_repetitions
),

from_configurations as (select *, {{ configuration_label() }} as raw_label from counted),

compared as (
    {%- for quantity, raw, member in [
        ('observed_state', 'raw_label', 'trial_member'),
        ('completed_requested_work', 'raw_is_completed', 'trial_member'),
        ('observed_peak_mib', 'raw_peak_mib', 'trace_member'),
        ('terminal_stage', 'raw_terminal_stage', 'trace_member'),
        ('failure_kind', 'raw_failure_kind', 'log_member'),
    ] %}
    select
        'run' as entity, run_id as entity_id, '{{ quantity }}' as quantity, cast({{ quantity }} as varchar) as published,
        cast({{ raw }} as varchar) as derived, {{ member }} as member_path,
        case when {{ member }} is null then 'evidence_missing'
            when {{ quantity }} is not distinct from {{ raw }} then 'agrees' else 'differs' end as status
    from from_runs
    union all
    {%- endfor %}
    {%- for quantity, raw in [('observed_peak_mib', 'raw_peak_mib'), ('coverage', 'raw_coverage')] %}
    select
        'stage', stage_id, '{{ quantity }}', cast({{ quantity }} as varchar), cast({{ raw }} as varchar), trace_member,
        case when trace_member is null then 'evidence_missing'
            when {{ quantity }} is not distinct from {{ raw }} then 'agrees' else 'differs' end
    from from_stages
    union all
    {%- endfor %}
    {#- What an audit by people decided cannot be derived from an attempt's files; and without a trial record nothing
        says that it failed, whatever its log holds. #}
    select
        'attempt', attempt_id, 'recorded_outcome', recorded_outcome, raw_outcome, coalesce(trial_member, log_member),
        case when trial_member is null and log_member is null then 'evidence_missing'
            when recorded_outcome = raw_outcome then 'agrees'
            when regexp_matches(recorded_outcome, 'unresolved_cause|recorded_failure|then_noncompletion|^memory_failure$')
                then 'not_derivable'
            else 'differs' end
    from from_excluded
    union all
    select
        'attempt', attempt_id, 'failure_kind', failure_kind, raw_failure_kind, log_member,
        case when failure_kind is null then 'not_derivable'
            when log_member is null or trial_member is null then 'evidence_missing'
            when failure_kind = raw_failure_kind then 'agrees' else 'differs' end
    from from_excluded
    union all
    select
        'configuration', configuration_id, 'observed_state', observed_state, raw_label, null,
        case when eligible_run_count = 0 then 'evidence_missing'
            when observed_state = raw_label then 'agrees' else 'differs' end
    from from_configurations
)

select
    compared.entity, compared.entity_id, compared.quantity, compared.published, compared.derived, compared.status,
    compared.member_path, members.sha256 as member_sha256
from compared
left join members on compared.member_path = members.member_path
