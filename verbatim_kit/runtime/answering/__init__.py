"""The sending of answers: bytes, JSON and server-sent events."""
