"""Weights between a checkpoint's files and linear layers: in groups of integers, and not read yet."""
