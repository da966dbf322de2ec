# Generated from specs/mindie: mend the document or its overlay, never this file.
"""MindIE chat completions, generated from specs/mindie."""
