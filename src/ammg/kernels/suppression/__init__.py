"""Kernels that choose which values to suppress."""
