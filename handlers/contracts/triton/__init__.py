"""Triton's generate extension on the neutral core."""
