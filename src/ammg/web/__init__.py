"""The web: a REST API under /api/v1. A route parses HTTP, calls one function of the store and returns its value."""
