"""Attention over pages in one call of torch for all rows of a step: `torch.nn.attention.varlen`, on a GPU."""
