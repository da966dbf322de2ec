"""Benchmarks of the server without a model: the CPU time of requests and events."""
