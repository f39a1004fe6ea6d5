-- One row per configuration that is source or target of a query: a subset of all_configurations.
{{ typed_configuration_results(source('card', 'transfer_configurations')) }}
