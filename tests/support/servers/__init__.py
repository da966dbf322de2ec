"""Servers and processes that tests start, and parts for them: ports, certificates, installations."""
