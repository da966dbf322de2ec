"""Several servers of one engine: their choice, load and health; no torch."""
