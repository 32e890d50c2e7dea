"""Methods: similar records grouped, and what undoes it."""
