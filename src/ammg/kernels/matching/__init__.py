"""Kernels: links between two files in which each person has one record."""
