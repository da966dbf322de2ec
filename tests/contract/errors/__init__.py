"""Errors under every contract: their statuses and texts."""
