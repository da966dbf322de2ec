"""The HTTP runtime: serves generated operations as their contract says and not otherwise."""
