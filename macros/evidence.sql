{# Rows of a raw evidence table that the evidence marts show: those of the last named release that has an archive. #}
{% macro shown_evidence(table) -%}
    select evidence_table.*
    from {{ source('raw_evidence', table) }} as evidence_table
    where evidence_table.release_id = {{ evidence_release() }}
{%- endmacro %}

{% macro evidence_release() -%}
    (select max_by(loads.release_id, loads.position)
    from {{ source('loader', 'loads') }} as loads
    where loads.release_id in (select release_id from {{ source('loader', 'archives') }}))
{%- endmacro %}

{# True when the named table is shown from the release whose evidence is shown: published and raw are then of one edition. #}
{% macro has_evidence_beside(table_name) -%}
    exists (
        select 1 from {{ source('loader', 'selected') }}
        where table_name = '{{ table_name }}' and release_id = {{ evidence_release() }}
    )
{%- endmacro %}

{# A kind of device memory failure, rewritten by the stage the trace ends in (release format 2.4). #}
{% macro kind_at_stage(kind, terminal_stage) -%}
    case
        when {{ kind }} = 'cuda_oom' or {{ kind }} = 'rollout_init_memory' or {{ kind }} = 'weight_sync_oom' then
            case {{ terminal_stage }}
                when 'actor_update' then 'actor_update_oom'
                when 'reference_logprob' then 'reference_logprob_oom'
                when 'rollout' then 'rollout_oom'
                when 'weight_sync' then 'weight_sync_oom'
                else {{ kind }}
            end
        else {{ kind }}
    end
{%- endmacro %}
