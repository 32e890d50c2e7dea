"""Rank-based methods: values exchanged or reassigned by rank."""
