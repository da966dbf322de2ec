"""The way of a generating request through the server, the same for every contract."""
