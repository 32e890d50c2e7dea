"""Masking of sampling weights, which reveal design strata."""
