"""Whole sequences, embeddings, and operations that another process answers."""
