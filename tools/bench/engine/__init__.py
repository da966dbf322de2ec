"""Benchmarks of the engine: its speed, and the parts of a step's time."""
