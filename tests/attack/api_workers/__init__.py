"""Servers with API workers: deaths of their processes, sounds and videos, transcripts."""
