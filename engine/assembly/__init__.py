"""The parts of an engine, put together from a loaded model: over pages, or on the fallback path."""
