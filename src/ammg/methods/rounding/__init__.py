"""Methods: rounded values and sums that still add up."""
