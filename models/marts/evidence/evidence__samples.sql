{{ config(materialized='view', contract={'enforced': false}, post_hook=[]) }}
-- One row per attempt, timestamp and device: for plotting. Combine by maximum, never by sum: another device is another
-- memory. A view: at the size of the real archives its rows are counted in tens of millions.
with points as (select * from {{ ref('stg_evidence__trace_points') }}),

maps as ({{ shown_evidence('devices') }}),

device_maps as (
    select experiment_id, job_id, cast(gpu_index as integer) as gpu_index, max(uuid) as device_uuid
    from maps
    where source = 'device_map'
    group by experiment_id, job_id, gpu_index
),

samples as (
    {%- for device in range(8) %}
    select experiment_id, job_id, timestamp_ns, {{ device }} as gpu_index, step, stage, gpu{{ device }}_mib as memory_used_mib
    from points
    where gpu{{ device }}_mib is not null
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
)

select samples.*, device_maps.device_uuid
from samples
left join device_maps
    on samples.experiment_id = device_maps.experiment_id and samples.job_id = device_maps.job_id
        and samples.gpu_index = device_maps.gpu_index
