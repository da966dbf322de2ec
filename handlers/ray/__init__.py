"""Replicas on Ray Serve: what is deployed, its configuration, and the code in replicas and proxies."""
