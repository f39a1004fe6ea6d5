-- One row per thing the archives' readers noticed and did not refuse: disagreeing traces, removed secrets, odd members.
with findings as ({{ shown_evidence('findings') }})

select
    row_number() over (order by member_path, finding, line_number, detail) as finding_number, finding, member_path,
    line_number, detail
from findings
