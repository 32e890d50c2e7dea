"""Measures of loss: numbers, cell by cell and by their moments."""
