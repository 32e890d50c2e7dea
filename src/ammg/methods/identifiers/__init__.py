"""Methods: names and numbers of people removed or replaced."""
