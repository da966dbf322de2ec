"""Requests for responses in neutral terms, made ready for the engine."""
