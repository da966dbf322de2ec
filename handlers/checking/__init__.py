"""Endpoints whose answers the judge of the kit holds against the contract's document before they are sent.

The judge needs jsonschema-rs, which the extra `verbatim-server[check]` installs.
"""
