"""Swapping of values and households between records."""
