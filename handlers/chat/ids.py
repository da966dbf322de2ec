"""Identifiers that no two answers share."""

from uuid import uuid4


def new_tool_call_id() -> str:
    """`call_` and 24 hexadecimal digits, the form that OpenAI's clients know."""
    return f"call_{uuid4().hex[:24]}"
