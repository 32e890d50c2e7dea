"""Methods that suppress values or records."""
