-- One row per planned process of the 7B panel. A cost of 0 is known to be zero, a missing one is unknown.
{{ estimation_processes(ref('stg_release__larger_model_processes')) }}
