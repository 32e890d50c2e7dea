"""Kernels: inferring a value without identifying the record."""
