"""Tests of k, l, t and uniqueness on integer codes and cell counts, shared by recoding, suppression and measures."""
