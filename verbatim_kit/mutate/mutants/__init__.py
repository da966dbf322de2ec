"""Mutants of recorded answers: of values, streams and the order of events."""
