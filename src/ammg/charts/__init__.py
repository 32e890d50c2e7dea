"""Pictures as values, and how matplotlib draws them for reports, files and notebooks."""
