"""The facts that servers give about themselves, which the start checks; no torch."""
