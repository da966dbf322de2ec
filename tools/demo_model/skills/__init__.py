"""The skills that the model is taught, one per file."""
