"""Profiles: recorded requests of client programs, replayed to check that the programs work with a server."""
