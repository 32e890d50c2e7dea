"""Kernels: rounding, and sums that still add up."""
