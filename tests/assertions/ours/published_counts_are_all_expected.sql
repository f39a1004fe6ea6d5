-- Guards: the list of expected counts itself: every published count of a shown known edition is compared.
select published.relation, published.quantity, published.member
from {{ ref('published_counts') }} as published
inner join {{ ref('editions') }} as editions
    on published.table_name = editions.table_name and published.edition = editions.edition
inner join {{ source('loader', 'selected') }} as selected
    on editions.table_name = selected.table_name and editions.sha256 = selected.file_sha256
left join {{ ref('meta__published_counts') }} as compared
    on published.relation = compared.relation and published.quantity = compared.quantity
        and coalesce(published.member, '') = compared.member and published.edition = compared.edition
where compared.relation is null
