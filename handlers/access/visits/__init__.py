"""Visits: each request from its arrival to the end of its answer, its line in the log, and the audit log."""
