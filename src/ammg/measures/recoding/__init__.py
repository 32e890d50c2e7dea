"""Measures: attacks on recoded values."""
