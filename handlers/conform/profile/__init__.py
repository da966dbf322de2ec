"""Programs that people use, and the check whether they can work with a server: their requests, replayed."""
