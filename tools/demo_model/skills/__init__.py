"""What the model is taught, one skill a file."""
