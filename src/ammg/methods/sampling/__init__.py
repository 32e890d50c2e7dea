"""Methods: fewer records."""
