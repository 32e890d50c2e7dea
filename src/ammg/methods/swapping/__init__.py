"""Methods: values and households exchanged between records."""
