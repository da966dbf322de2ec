"""Linear layers that are merged, packed or rounded."""
