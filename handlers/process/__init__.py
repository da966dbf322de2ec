"""The end of the server's process: when, by whom and with which exit status."""
