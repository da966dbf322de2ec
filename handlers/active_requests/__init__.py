"""Requests from their arrival to their answer: admission, times, failures, metrics."""
