"""Aleph Alpha's contract on the neutral core."""
