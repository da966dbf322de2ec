"""API keys: their file, the keyring that is reloaded from it, and the check of requests."""
