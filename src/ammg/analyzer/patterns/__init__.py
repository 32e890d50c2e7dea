"""What values look like: patterns that point at one person, each a form and, where there is one, a check digit."""
