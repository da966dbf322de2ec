"""Answers on the wire, whole and as events, while the model writes them."""
