"""Measures: values and households exchanged between records."""
