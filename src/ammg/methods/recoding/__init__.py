"""Recoding: coarser categories, and top and bottom coding."""
