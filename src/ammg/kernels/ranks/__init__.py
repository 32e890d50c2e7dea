"""Kernels: values exchanged or redistributed by rank."""
