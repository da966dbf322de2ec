"""MindIE's contract on the neutral core."""
