"""Drafts of the next tokens, and the number of them that pays; no torch."""
