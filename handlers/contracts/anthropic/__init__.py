"""Anthropic's contract on the neutral core."""
