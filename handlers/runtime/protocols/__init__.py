"""The protocols that a contract's handlers may follow beside their operations."""
