-- One row per configuration of the 7B panel.
{{ typed_estimation_configurations(source('card', 'larger_model_configurations')) }}
