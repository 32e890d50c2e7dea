"""Results that add up over chunks: moments, counts, quantiles, extremes. Bitwise the same on every engine."""
