"""The bounds of a contract: values at, just inside and just outside of each."""
