"""Access to the server: hosts and origins, keys and their limits, and the audit log."""
