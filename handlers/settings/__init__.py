"""All settings, and their forms on the command line and in the documentation."""
