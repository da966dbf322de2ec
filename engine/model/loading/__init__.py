"""The loading of a model from its directory: configuration, weights, tokenizer."""
