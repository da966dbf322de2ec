"""A new project from a document: its specs, an overlay, handlers to fill in, an application and a test."""
