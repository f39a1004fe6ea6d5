-- One row per vocabulary and word: every closed vocabulary of the registry in one shape.
with labels as (select * from {{ ref('labels') }})

select vocabulary, status as word from {{ ref('collector_statuses') }}
union all
select vocabulary, word from {{ ref('vocabularies') }}
union all
select 'stage', stage from {{ ref('stages') }}
union all
select 'failure_kind', failure_kind from {{ ref('failure_kinds') }}
union all
select 'study', study from {{ ref('studies') }}
union all
select 'absence_reason', absence_reason from {{ ref('absence_reasons') }}
union all
select 'label:' || unnest(string_split(cohorts, ';')), label from labels
