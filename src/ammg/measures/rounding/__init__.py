"""Measures: numbers rounded to multiples of a base."""
