"""The nouns: attributes and roles, microdata, blocks, pairs, published facts about methods, disclosure scenarios."""
