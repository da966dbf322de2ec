"""JSON Schemas: their check, and their form as the rules of a grammar."""
