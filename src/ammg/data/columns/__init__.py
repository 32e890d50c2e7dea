"""Columns of a table as arrays, encoded once."""
