"""Permits of requests, and threads for work that would block the event loop."""
