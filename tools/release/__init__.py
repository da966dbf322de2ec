"""The checks before a release, and what is published with its wheels."""
