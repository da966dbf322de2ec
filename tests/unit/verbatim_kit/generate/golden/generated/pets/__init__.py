# Generated from specs/pets: mend the document or its overlay, never this file.
"""Pets, generated from specs/pets."""
