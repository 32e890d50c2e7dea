"""Background work: a queue in the database, and worker processes that take jobs from it."""
