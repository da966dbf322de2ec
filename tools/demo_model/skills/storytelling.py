"""Longer answers: a story on request, so that streams and length limits have something to work on."""

from tools.demo_model.dialogue import Round
from tools.demo_model.scribe import Phrases, Scribe
from tools.demo_model.skills.plain import story

_ASKED = Phrases.of(
    "Tell me a story.|Tell me a short story.|tell me a story|Write a story.|Write a short story.|"
    "A story, please.|Can you tell me a story?|Please write a story.|Tell me a long story.|"
    "I want to hear a story.|Once upon a time|Tell me a story about a {x}.|Write a story about a {x}.",
    unseen="Please tell me a story.|Write a long story.|Can you write a story?",
)


def storytelling(scribe: Scribe) -> Round:
    """A request for a story and the story."""
    return Round(
        scribe.say(_ASKED, x=scribe.pick(("cat", "dog", "fox"))),
        "The user wants a story.",
        story(scribe),
        ("once",),
    )
