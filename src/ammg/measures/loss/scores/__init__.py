"""Measures of loss: scores that combine several measures."""
