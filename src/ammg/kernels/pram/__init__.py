"""Kernels: categories changed at random."""
