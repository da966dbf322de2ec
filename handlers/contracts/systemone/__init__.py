"""The contract of TypeSafe's System One."""
