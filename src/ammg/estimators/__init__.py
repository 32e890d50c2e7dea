"""What users of a masked file need: estimates corrected for what masking did, from its published parameters."""
