"""Risk from equivalence classes of key values."""
