"""Requests of every contract, for tests that ask all of them."""
