"""Attacks on categories changed at random (PRAM)."""
