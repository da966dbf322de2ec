# Generated from specs/openai: mend the document or its overlay, never this file.
"""OpenAI API, generated from specs/openai."""
