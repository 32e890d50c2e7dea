"""Kernels: finding the people behind released records."""
