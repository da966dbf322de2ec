"""Requests of the wire in neutral terms, made ready for the engine."""
