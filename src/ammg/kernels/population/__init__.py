"""Kernels: risk in the population behind a sample."""
