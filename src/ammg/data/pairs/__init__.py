"""What is made of a pair: parts of it, and releases that have lost everything."""
