"""The hand-written part of the server: operations of contracts, HTTP runtime, and command line."""
