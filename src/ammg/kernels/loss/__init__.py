"""Kernels: what an analyst loses."""
