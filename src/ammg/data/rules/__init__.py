"""Rules that the owner declares for every record or household: sums, ranges, implications, combinations."""
