-- Guards: the limit of a device is its capacity minus 2,048 MiB, and no device borrows another's (card, outcome rules).
select device_name
from {{ ref('devices') }}
where operating_limit_mib <> capacity_mib - reserved_margin_mib or reserved_margin_mib <> 2048
