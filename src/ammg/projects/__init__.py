"""The project file, and what can be done with it: one function each, returning values that surfaces show."""
