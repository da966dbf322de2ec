# Generated from specs/systemone: mend the document or its overlay, never this file.
"""System One API, generated from specs/systemone."""
