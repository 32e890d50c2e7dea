"""Post-randomisation (PRAM): categories changed at random."""
