"""Measures of loss: scores that join several measures."""
