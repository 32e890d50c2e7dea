"""Kernels: random changes of categories."""
