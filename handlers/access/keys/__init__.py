"""API keys: the key file, the keyring loaded from it, and the check of requests."""
