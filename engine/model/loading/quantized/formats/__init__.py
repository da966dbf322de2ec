"""The formats of quantized weights that are unpacked, one in each module."""
