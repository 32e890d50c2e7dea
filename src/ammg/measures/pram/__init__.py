"""Measures: categories changed at random."""
