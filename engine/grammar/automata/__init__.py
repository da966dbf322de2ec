"""Automata over characters, for patterns and numbers that no grammar's rules express."""
