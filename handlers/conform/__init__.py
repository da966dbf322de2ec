"""Conformance checks: send requests to a server and report the faults in its answers.

The requests are derived from a contract's OpenAPI document or recorded from programs. The package is
installed with the server as `verbatim conform` and can check any server, whoever wrote it.
"""
