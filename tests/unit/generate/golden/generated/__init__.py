"""What follows from specs/; `make generate` writes all of it."""
