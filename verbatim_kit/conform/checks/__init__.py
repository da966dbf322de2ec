"""The checks that are run for each operation of a contract."""
