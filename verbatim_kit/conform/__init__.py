"""Conformance checks: send requests to a server and report the faults in its answers.

The requests are derived from a contract's OpenAPI document; any server can be checked, whoever wrote it.
"""
