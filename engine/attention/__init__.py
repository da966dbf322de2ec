"""Attention over the pages of the KV cache, in torch and compiled, and the layout of a batch."""
