"""Masking methods: one class, one file, one test each."""
