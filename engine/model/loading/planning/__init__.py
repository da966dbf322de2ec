"""The facts about a model before its weights are read, and whether it can be served."""
