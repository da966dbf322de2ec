"""The HTTP client of one server that computes tokens; no torch."""
