"""Structural tags: text that has constrained parts."""
