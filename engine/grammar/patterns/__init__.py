"""Regular expressions and formats: how they are read, and the terminals that they become."""
