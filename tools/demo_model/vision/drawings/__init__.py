"""Drawings: the figures of a scene, scenes at random, and how they are drawn."""
