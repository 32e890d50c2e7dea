"""Kernels of recoding: tables aggregated from finer ones, and the information loss of a recoding."""
