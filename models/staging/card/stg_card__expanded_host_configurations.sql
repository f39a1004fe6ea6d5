-- One row per configuration of the follow-up on larger hosts.
{{ typed_estimation_configurations(source('card', 'expanded_host_configurations')) }}
