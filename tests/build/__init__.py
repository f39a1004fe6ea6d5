"""Tests that build whole warehouses."""
