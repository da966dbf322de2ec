"""HTTP between the socket and the application: what bounds a connection before any contract is known."""
