"""Tells where an upstream document's structure differs from the one a contract was stated from."""
