# Generated from specs/open_responses: mend the document or its overlay, never this file.
"""Open Responses, generated from specs/open_responses."""
