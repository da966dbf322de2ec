"""The sending of answers: bytes, JSON and streams."""
