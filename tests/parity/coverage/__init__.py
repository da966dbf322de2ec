"""A trial of all causal language models of transformers: the engine serves each exactly, or refuses it."""
