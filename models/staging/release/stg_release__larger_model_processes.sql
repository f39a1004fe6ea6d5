-- One row per planned process of the 7B panel.
{{ typed_estimation_processes(source('release', 'larger_model_processes')) }}
