"""Access control: host names and origins, API keys and their rate limits, and the records of requests."""
