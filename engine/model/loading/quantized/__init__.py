"""Quantized checkpoints: what each format stores, and the plain weights that follow from it."""
