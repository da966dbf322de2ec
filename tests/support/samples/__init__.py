"""Sounds, videos and bodies for requests."""
