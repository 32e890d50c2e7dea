"""Methods: sampling weights, which tell strata apart."""
