"""Benchmarks of parts of a step: kernels, products and stages."""
