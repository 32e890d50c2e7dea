"""Kernels: added and multiplied noise, and attacks on it."""
