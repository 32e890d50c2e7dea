"""Pairs derived from a pair: parts of it, and reference releases without any information."""
