-- One row per configuration of the follow-up on larger hosts. Unscored approvals stand beside the predictions.
{{ estimation_configurations(ref('stg_card__expanded_host_configurations')) }}
