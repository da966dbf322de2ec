"""Batches: requests that are stored, and answered one by one when nothing else waits."""
