"""Measures: values exchanged or dealt anew by rank."""
