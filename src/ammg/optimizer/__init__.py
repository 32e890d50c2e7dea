"""The Disclosure Method Selection wizard: searches for the recipe with the least loss under the owner's limits."""
