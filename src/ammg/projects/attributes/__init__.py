"""What people look at and decide before they mask: first records, attributes line by line, the intruder in words."""
