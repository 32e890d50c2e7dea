"""Where units run: `fold` adds a summary up, `map` applies a planned method. The same bits everywhere."""
