"""Kernels: identifying the people behind released records."""
