"""A page to try every operation of every contract by hand, and to watch the engine while it answers."""
