"""Parts that the clients of all contracts share: requests, retries, event streams and errors."""
