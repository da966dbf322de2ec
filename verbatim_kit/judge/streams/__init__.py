"""The check of event streams against the laws of their document."""
