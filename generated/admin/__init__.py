# Generated from specs/admin: mend the document or its overlay, never this file.
"""Admin API, generated from specs/admin."""
