"""Where units run: `fold` computes a summary, `map` applies a planned method. Results do not depend on the engine."""
