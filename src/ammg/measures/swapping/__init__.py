"""Attacks on data swapping."""
