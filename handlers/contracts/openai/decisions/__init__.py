"""The operation `/v1/decisions`."""
