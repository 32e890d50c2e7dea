"""Rounding, and restoring sums of parts."""
