"""Suppression of values and records."""
