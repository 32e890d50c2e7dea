"""Migrations of the database schema, one file per version."""
