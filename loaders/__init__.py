"""Loaders: from a release to `raw.*`, text as found, with the place of every row.

They give shape and lose nothing; they never interpret. They import neither `guard` nor `rlvram` nor dbt.
"""
