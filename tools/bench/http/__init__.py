"""The server without an engine: the processor time of requests and events."""
