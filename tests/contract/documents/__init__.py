"""Contracts beside their documents: bounds, headers, models, and a second validator."""
