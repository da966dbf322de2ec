# Generated from specs/hf: mend the document or its overlay, never this file.
"""Hugging Face Text Generation Inference API, generated from specs/hf."""
