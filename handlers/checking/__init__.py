"""The check of answers against a contract's document only: an answer may only have what it states.

Nothing here names a contract. `judge` needs jsonschema-rs, which the extra `verbatim-server[check]` installs.
"""
