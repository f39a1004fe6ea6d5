-- Guards: every process has a configuration and a pair of two; a configuration is unresolved exactly when fewer than
-- three seeds are eligible, and its counts are those of its processes (3.3).
{{ estimation_panel_faults('larger_models', 'larger_model') }}
