"""The foundation of the store: key, encrypted files, database, the chain of the audit log, names."""
