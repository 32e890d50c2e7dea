"""The nouns: attributes and their roles, microdata, blocks, pairs, what a method discloses, what an intruder knows."""
