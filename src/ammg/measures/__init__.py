"""Disclosure risk and information loss: one class, one file, one test each."""
