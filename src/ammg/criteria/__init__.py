"""Tests of k, l, t and uniqueness over integer codes and cell counts: what recoding, suppression and measures share."""
