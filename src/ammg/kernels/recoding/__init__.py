"""Kernels of recoding: tables rolled up from finer ones, and what a recoding loses."""
