"""The check of answers against a contract's document alone: an answer may only have what it states.

Only `schemas` needs a library, jsonschema-rs, which the extra `verbatim-kit[judge]` installs.
"""
