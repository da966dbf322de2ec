"""The reading of a request: its sizes and forms, and the answers to one that is not read to its end."""
