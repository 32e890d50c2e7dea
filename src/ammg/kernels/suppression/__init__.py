"""Kernels that decide which values to suppress."""
