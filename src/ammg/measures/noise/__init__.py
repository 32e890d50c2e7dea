"""Measures: added and multiplied noise, and what undoes it."""
