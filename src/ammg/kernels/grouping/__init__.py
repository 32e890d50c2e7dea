"""Kernels: similar records grouped, and what undoes it."""
