"""Generation: requests of the wire in neutral terms, and answers on the wire."""
