"""The rewriting of keywords that a grammar cannot express into others that it can."""
