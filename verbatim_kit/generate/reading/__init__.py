"""Reads operations out of a document, as the names, types and answers that are written in Python."""
