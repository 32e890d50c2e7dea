"""The Disclosure Method Selection wizard: searches for the recipe with the least loss that meets all limits."""
