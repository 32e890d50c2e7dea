"""Measures: equivalence classes of key values."""
