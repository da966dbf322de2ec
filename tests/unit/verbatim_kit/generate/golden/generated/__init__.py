"""The code that follows from specs/; `make generate` writes all of it."""
