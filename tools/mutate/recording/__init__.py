"""Recordings of what the server answers, to be corrupted."""
