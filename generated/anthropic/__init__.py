# Generated from specs/anthropic: mend the document or its overlay, never this file.
"""Anthropic Messages API, generated from specs/anthropic."""
