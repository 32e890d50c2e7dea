"""What the functions of the store rest on: key, encrypted files, database, the chain of the audit log, names."""
