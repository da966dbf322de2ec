"""Aleph Alpha's completions (`/complete`)."""
