"""The run of a server, from binding its port to its exit status."""
