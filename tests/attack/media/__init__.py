"""Images and sounds that are made to hold the server."""
