-- Guards: the browsing view adds no fact: it equals settings joined with outcomes, text for text (3.1).
with browsing as ({{ shown_edition(source('card', 'all_configurations')) }}),

settings as ({{ shown_edition(source('release', 'configurations')) }}),

outcomes as ({{ shown_edition(source('release', 'outcomes')) }}),

joined as (
    select
        settings.* exclude (source_path, row_number, file_sha256, release_id, loaded_at),
        outcomes.* exclude (configuration_id, source_path, row_number, file_sha256, release_id, loaded_at)
    from settings
    inner join outcomes on settings.configuration_id = outcomes.configuration_id
),

browsed as (
    select * exclude (used_in_transfer_tasks, source_path, row_number, file_sha256, release_id, loaded_at)
    from browsing
),

-- EXCEPT compares by position: this puts the joined columns into the order of the browsing view.
joined_in_order as (
    select * from browsed where false
    union all by name
    select * from joined
),

different as (
    (select * from browsed except all select * from joined_in_order)
    union all
    (select * from joined_in_order except all select * from browsed)
)

select configuration_id
from different
where {{ are_of_one_release(['all_configurations', 'configurations', 'outcomes']) }}
