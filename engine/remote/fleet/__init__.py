"""Several servers behind one engine: their choice, load and health; no torch."""
