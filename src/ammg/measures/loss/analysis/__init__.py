"""Measures of loss: what analysts do with the file."""
