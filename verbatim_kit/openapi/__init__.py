"""Streams in OpenAPI documents: in 3.1 by our extensions, in 3.2 by `itemSchema`."""
