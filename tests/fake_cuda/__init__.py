"""Tests with torch's build for CUDA on a machine without a GPU, by `make test-fake-cuda`."""
