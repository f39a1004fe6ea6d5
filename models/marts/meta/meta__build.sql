-- One row per release in this build, in the order they were named: the last that holds a table is the one shown.
with loads as (select * from {{ source('loader', 'loads') }}),

context as (select * from {{ source('loader', 'build_context') }}),

build as (
    select
        '{{ invocation_id }}' as build_id, cast('{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S") }}' as timestamp) as built_at,
        version() as duckdb_version, '{{ dbt_version }}' as dbt_version
)

select
    build.build_id, build.built_at, coalesce(loads.position, 0) as release_position, loads.release_id,
    loads.digest as release_digest, loads.loaded_at, context.code_version, build.duckdb_version, build.dbt_version
from build
left join loads on true
left join context on true
