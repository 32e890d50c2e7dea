"""Kernels: values and households exchanged between records."""
