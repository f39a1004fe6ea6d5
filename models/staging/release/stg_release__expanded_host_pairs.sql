-- One row per pair of a two- and a four-device process of the follow-up.
{{ typed_estimation_pairs(source('release', 'expanded_host_pairs')) }}
