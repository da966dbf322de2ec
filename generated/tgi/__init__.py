# Generated from specs/tgi: mend the document or its overlay, never this file.
"""Text Generation Inference, generated from specs/tgi."""
