"""Measures: similar records grouped, and what undoes it."""
