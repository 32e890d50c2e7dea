"""Measures of loss: categories and tables."""
