"""The judgement of a reply: ended, thought over when told to, and to the point."""

import json

from tools.demo_model.evaluation.trials import Trial
from tools.demo_model.tokenizer import END_OF_TURN


def _is_thought(text: str) -> bool:
    """Return whether a reply opens with one well-formed, non-empty think block."""
    opened, closed, _ = text.partition("</think>\n\n")
    return opened.startswith("<think>\n") and bool(closed) and len(opened.strip()) > len("<think>\n")


def _calls_of(text: str) -> list[tuple[str, object]] | None:
    """The calls in a reply in order, or None where one is not well formed."""
    calls: list[tuple[str, object]] = []
    for part in text.split("<tool_call>\n")[1:]:
        body, closed, _ = part.partition("\n</tool_call>")
        try:
            call = json.loads(body)
            calls.append((call["name"], call["arguments"]))
        except (ValueError, KeyError, TypeError):
            return None
        if not closed:
            return None
    return calls


def has_ended(reply: str) -> bool:
    """Return whether the model ended the reply by itself."""
    return reply.endswith(END_OF_TURN)


def has_stray_call(trial: Trial, reply: str) -> bool:
    """Return whether the reply begins a call, inside a thought or out of it, though no tools were given."""
    return not trial.dialogue.tools and "<tool_call>" in reply


def is_right(trial: Trial, reply: str) -> bool:
    """Ends with the end-of-turn marker, thinks exactly when told to, calls or says what it should."""
    if not has_ended(reply) or has_stray_call(trial, reply) or _is_thought(reply) != trial.thinking:
        return False
    text = reply.rpartition("</think>\n\n")[2].removesuffix(END_OF_TURN)
    if trial.expected.calls and not trial.after_tool:
        return _calls_of(text) == [(call.name, dict(call.arguments)) for call in trial.expected.calls]
    said = text.lower()
    wanted = [word in said for word in trial.expected.accept]
    return "<tool_call>" not in text and (all(wanted) if trial.after_tool else any(wanted))
