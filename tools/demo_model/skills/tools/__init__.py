"""Tools: what may be offered to the model, what users ask of it, and when to call."""
