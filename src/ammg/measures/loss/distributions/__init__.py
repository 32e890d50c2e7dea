"""Measures of loss: the distribution of single attributes."""
