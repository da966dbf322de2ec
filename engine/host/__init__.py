"""The process and the machine under an engine: threads, the log, the device, the user's cache."""
