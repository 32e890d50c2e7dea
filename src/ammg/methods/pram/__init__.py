"""Methods: categories changed at random."""
