"""Structured output: grammars, and the tokens that a sequence may take next under one."""
