"""Several models behind one address: a process for each, started by its first request."""
