"""The web pages: a chat at `/`, and the playground, to try every operation and to watch the engine."""
