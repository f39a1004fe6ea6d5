-- One row per pair of a two- and a four-device process of the 7B panel.
{{ typed_estimation_pairs(source('release', 'larger_model_pairs')) }}
