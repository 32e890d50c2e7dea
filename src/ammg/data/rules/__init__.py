"""What an owner says must hold in every record or household: sums, ranges, implications, combinations."""
