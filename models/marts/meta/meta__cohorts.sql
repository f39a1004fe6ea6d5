-- One row per cohort: what it covers, what may not be done with its rows, and the device its limit comes from.
with cohorts as (select * from {{ ref('cohorts') }}),

devices as (select * from {{ ref('devices') }})

select
    cohorts.cohort, cohorts.device_name, devices.capacity_mib, devices.operating_limit_mib, cohorts.coverage,
    cohorts.restriction, cohorts.source_document, cohorts.source_place
from cohorts
left join devices on cohorts.device_name = devices.device_name
