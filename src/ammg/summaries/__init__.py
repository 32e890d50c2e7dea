"""What adds up over chunks: moments, counts, quantiles, extremes. The same bits on every engine."""
