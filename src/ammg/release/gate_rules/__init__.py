"""The rules of the release gate, one a file."""
