"""Kernels: equivalence classes of key values."""
