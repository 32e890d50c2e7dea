"""Kernels: narrowing down a value without finding the record."""
