"""What we decide: each contract's operations, the HTTP runtime, the composition root and the command line."""
