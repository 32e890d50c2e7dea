"""The report: what was released, what an intruder can do, what an analyst loses, in words and pictures."""
