"""Sampling: from the logits of a row to its next token."""
