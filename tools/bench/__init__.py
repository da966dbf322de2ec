"""Benchmarks, which report ratios measured in one run."""
