"""Linear layers whose weights, and rows, are rounded to 8 or 4 bits."""
