"""The work that runs in the background: a queue in the database, and worker processes that take jobs from it."""
