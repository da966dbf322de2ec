"""Engines, servers and media that answer as a test specifies."""
