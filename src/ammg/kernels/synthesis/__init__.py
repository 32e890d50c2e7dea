"""Kernels: artificial records."""
