"""Kernels: information loss."""
