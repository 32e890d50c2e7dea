"""Measures: finding the people behind released records."""
