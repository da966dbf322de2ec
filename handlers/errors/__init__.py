"""Exceptions as a contract's own errors, and the ways in which a request can be invalid."""
