"""Compiled and vectorised inner loops: arrays in, arrays out. They know nothing of column names, roles or files."""
