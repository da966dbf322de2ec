"""All settings of the server, as command-line options and as a table for the documentation."""
