"""Methods: values exchanged or dealt anew by rank."""
