-- One row per published count that the shown editions must meet: expected, found, and where it was published.
-- Joined from the expected list, so that a whole missing partition shows. An edition is recognised table by table, by
-- SHA-256 or by the release's own tag; a release may bring expectations of its own.
with published as (select * from {{ ref('published_counts') }}),

editions as (select * from {{ ref('editions') }}),

shown as (select * from {{ source('loader', 'selected') }}),

brought as ({{ shown_edition(source('release', 'expectations')) }}),

expected as (
    select published.* exclude (member), coalesce(published.member, '') as member
    from published
    inner join shown on published.table_name = shown.table_name
    left join editions on published.table_name = editions.table_name and shown.file_sha256 = editions.sha256
    where published.edition = editions.edition or published.edition = shown.release_id
    union all by name
    select
        brought.table_name, brought.release_id as edition, brought.relation, brought.quantity, brought.member,
        cast(brought.expected as bigint) as expected, brought.source_document, brought.source_place
    from brought
    inner join shown on brought.table_name = shown.table_name and brought.release_id = shown.release_id
),

found as (select * from {{ ref('meta__found_counts') }})

select
    expected.edition, expected.relation, expected.quantity, expected.member, expected.table_name,
    cast(expected.expected as bigint) as expected_count,
    {#- Nothing found is a count of nothing, not a missing measure. #}
    cast(coalesce(found.found, 0) as bigint) as found_count,
    expected.source_document, expected.source_place
from expected
left join found
    on expected.relation = found.relation and expected.quantity = found.quantity and expected.member = found.member
