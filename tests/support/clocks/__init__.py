"""Time in tests: an event loop without waiting, the time that a loop is held, and waiting for a condition."""
