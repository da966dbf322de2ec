"""The memory of keys and values: its shapes, its size, its pages."""
