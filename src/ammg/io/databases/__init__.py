"""How tables come from and go to databases: one file per way of doing it, each with `read` and `write`."""
