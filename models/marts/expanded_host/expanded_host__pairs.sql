-- One row per pair of a two- and a four-device process of the follow-up on larger hosts.
{{ estimation_pairs(ref('stg_release__expanded_host_pairs')) }}
