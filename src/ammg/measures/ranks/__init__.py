"""Attacks on swapping and shuffling by rank."""
