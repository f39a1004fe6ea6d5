-- Guards: the transfer view repeats historical rows unchanged, and holds exactly those a query uses (3.1).
with transfer as ({{ shown_edition(source('card', 'transfer_configurations')) }}),

historical as ({{ shown_edition(source('card', 'all_configurations')) }}),

historical_values as (
    select * exclude (source_path, row_number, file_sha256, release_id, loaded_at) from historical
),

-- EXCEPT compares by position: this puts the columns into the order of the historical view.
transfer_values as (
    select * from historical_values where false
    union all by name
    select * exclude (source_path, row_number, file_sha256, release_id, loaded_at) from transfer
),

different as (
    select * from transfer_values
    except all
    select * from historical_values
),

flagged as (
    select historical.configuration_id
    from historical
    full join transfer on historical.configuration_id = transfer.configuration_id
    where (historical.used_in_transfer_tasks = '1') is distinct from (transfer.configuration_id is not null)
)

select configuration_id
from (select configuration_id from different union all select configuration_id from flagged) as found
where {{ are_of_one_release(['all_configurations', 'transfer_configurations']) }}
