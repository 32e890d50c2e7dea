"""Methods: coarser categories and cut-off tails."""
