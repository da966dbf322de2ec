"""Tiny models of random weights, and their adapters."""
