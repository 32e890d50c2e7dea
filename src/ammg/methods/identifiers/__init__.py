"""Direct identifiers: removed, or replaced by pseudonyms."""
