"""A server on this machine that the engine starts and ends; no torch."""
