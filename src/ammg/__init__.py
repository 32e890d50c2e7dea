"""AMMG."""
