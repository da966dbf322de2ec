"""The reading of requests: bodies, headers and forms, validated against the generated models."""
