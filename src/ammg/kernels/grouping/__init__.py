"""Kernels: grouping of similar records, and attacks on it."""
