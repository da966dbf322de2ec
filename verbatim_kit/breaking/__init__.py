"""Tells which changes of the contracts, and of the Python SDK, would break who relies on them."""
