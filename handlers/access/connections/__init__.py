"""The settings of connections, and TLS."""
