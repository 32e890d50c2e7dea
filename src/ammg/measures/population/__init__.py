"""Risk in the population behind a sample."""
