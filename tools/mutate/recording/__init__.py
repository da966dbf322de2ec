"""Recording of the server's answers."""
