"""Attribute disclosure: inferring a value without finding the record."""
