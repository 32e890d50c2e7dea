"""Attacks on microaggregation."""
