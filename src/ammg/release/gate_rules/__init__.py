"""The rules of the release checks, one per file."""
