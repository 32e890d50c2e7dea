"""What people look at before masking: first records, attributes line by line, the intruder in words."""
