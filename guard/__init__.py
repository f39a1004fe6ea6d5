"""The query guard: judges a user's SQL against the evidence's own contract before it runs.

Independent of dbt at run time and of `loaders`. Nothing is in it yet: the rules are built in their own step.
"""
