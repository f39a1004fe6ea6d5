-- One row per configuration of the ten studies: its settings and published outcome.
{{ typed_configuration_results(source('card', 'all_configurations')) }}
