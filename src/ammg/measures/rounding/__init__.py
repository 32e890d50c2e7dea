"""Attacks on rounding."""
