"""The command: one thin module per verb. It calls `loaders`, dbt and `guard`, and holds no rule of the evidence."""
