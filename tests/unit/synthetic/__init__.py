"""Tests of the generator itself; what is built from its release is tested in tests/build."""
