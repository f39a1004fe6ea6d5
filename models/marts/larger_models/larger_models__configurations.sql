-- One row per configuration of the 7B panel. Unscored approvals stand beside the predictions.
{{ estimation_configurations(ref('stg_card__larger_model_configurations')) }}
