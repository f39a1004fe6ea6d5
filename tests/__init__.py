"""Tests, and `tests.synthetic`, which writes the sample release."""
