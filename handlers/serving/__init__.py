"""The run of one server, from the port that it takes to its exit status."""
