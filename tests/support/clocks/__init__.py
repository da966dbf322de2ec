"""Time in tests: an event loop without waiting, and the time that a loop is held."""
