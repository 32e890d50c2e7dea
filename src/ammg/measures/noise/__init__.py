"""Attacks on added and multiplied noise."""
