"""Videos as the frames that a model reads: which of them, at what size, and in which tensors."""
