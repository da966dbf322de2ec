"""The HTTP layer between the socket and the application, with the bounds that hold before any contract."""
