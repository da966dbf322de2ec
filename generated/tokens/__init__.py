# Generated from specs/tokens: mend the document or its overlay, never this file.
"""Token API, generated from specs/tokens."""
