-- One row per point: one timestamp of the trace that is the source of points, memory of each device in MiB.
with files as (select * from {{ ref('stg_evidence__trace_files') }} where is_point_source),

points as (select * from {{ source('raw_evidence', 'trace_points') }}),

stages as ({{ shown_evidence('stage_codes') }})

select
    files.experiment_id, files.job_id, points.file_id, points.timestamp_ns, points.step, stages.stage,
    {% for device in range(8) -%} points.gpu{{ device }}_mib, {% endfor %}
    greatest({% for device in range(8) -%} points.gpu{{ device }}_mib{% if not loop.last %}, {% endif %}{% endfor %})
        as largest_device_mib
from points
inner join files on points.file_id = files.file_id
left join stages on points.stage_code = stages.stage_code and files.archive_sha256 = stages.archive_sha256
