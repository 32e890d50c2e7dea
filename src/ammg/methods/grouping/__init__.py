"""Microaggregation: similar records form groups and are replaced by group means."""
