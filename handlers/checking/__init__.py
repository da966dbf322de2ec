"""Judges answers by a contract's document alone: what it does not state, an answer must not have.

Nothing here names a contract. `judge` needs jsonschema-rs, which the extra `verbatim-server[check]` installs.
"""
