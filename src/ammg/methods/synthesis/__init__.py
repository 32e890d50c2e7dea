"""Methods: artificial records."""
