"""Information loss: what an analyst loses."""
