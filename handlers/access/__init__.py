"""Who may use the server: hosts and origins, keys and their limits, and the log of what each did."""
