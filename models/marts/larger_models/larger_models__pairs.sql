-- One row per pair of a two- and a four-device process of the 7B panel.
{{ estimation_pairs(ref('stg_release__larger_model_pairs')) }}
