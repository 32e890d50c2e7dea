"""Noise: added to or multiplied with numbers."""
