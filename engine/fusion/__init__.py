"""Compiled decoder layers in place of the model's own, and the fast path of steps that only decode."""
