"""The project file and what can be done with it: one function each, for the command line and the web."""
