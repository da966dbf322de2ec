# Generated from specs/admin: mend the document or its overlay, never this file.
"""The parts of requests: dictionaries of these forms."""
