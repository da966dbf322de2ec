"""The adaptation of a model to batches of many sequences, beyond the attention interface."""
