"""Quantized weights, and GGUF files, beside the plain weights that they stand for."""
