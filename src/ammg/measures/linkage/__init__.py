"""Record linkage: finding the people behind released records."""
