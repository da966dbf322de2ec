"""Calls of tools in the texts of models, in the formats of each family."""
