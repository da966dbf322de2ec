"""The command `verbatim top`, which watches a running server by its metrics."""
