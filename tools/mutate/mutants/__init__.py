"""Corruptions of a recorded answer: of values, of streams, and of their order."""
