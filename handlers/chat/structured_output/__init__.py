"""Structured output, to which an answer is held: response formats and schemas as grammars."""
