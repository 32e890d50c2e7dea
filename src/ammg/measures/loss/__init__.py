"""Measures: what an analyst loses."""
