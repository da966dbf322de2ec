"""Questions outside the closed world, which the model must turn down politely."""

from typing import Final

from tools.demo_model.dialogue import Round
from tools.demo_model.scribe import Phrases, Scribe

_ASKED = Phrases.of(
    "Who won the {t} in {n}?|What do you think of {t}?|Explain {t} to me.|Write an essay about {t}.|"
    "Who invented {t}?|How does {t} work?|What is the price of {t}?|Tell me about {t}.|What is {t}?|"
    "When was {t} founded?|Give me a recipe for {t}.|Who wrote {t}?|Why is {t} so popular?|Who is {t}?|"
    "What happened in {n}?|What is {n} times {m}?|Write a program about {t}.|Translate {t} into Greek.|"
    "How old is {t}?|Where is {t}?|Who is the president of {t}?|Summarize {t}.|What is the history of {t}?|"
    "Is {t} good?|How do I learn {t}?|Write code for {t}.|Compare {t} and {u}.|What is the meaning of {t}?",
    unseen=(
        "Please explain {t}.|Who discovered {t}?|What is the purpose of {t}?|How can I buy {t}?|"
        "When did {t} begin?|What is {n} divided by {m}?"
    ),
)
_TOPICS = Phrases.of(
    "quantum physics|the world cup|bitcoin|democracy|relativity|the stock market|Shakespeare|jazz|black "
    "holes|the economy|photosynthesis|the French revolution|cooking|chess|the "
    "internet|evolution|DNA|electric cars|the moon "
    "landing|Java|inflation|Napoleon|Mozart|Rust|gravity|vaccines|climate change|the Roman "
    "empire|tennis|philosophy|sorting|the weather|lasagna|paella|Hamlet|Mars|Mount Everest|algebra|prime "
    "numbers|the universe|love|life|sushi|calculus|volcanoes",
    unseen="opera|the olympics|calligraphy|Beethoven|dinosaurs|taxes|the pyramids|skiing|magnets",
)
_ANSWERS: Final = (
    "I am only a small demonstration model, I do not know that.",
    "Sorry, I do not know that. I am only a small demonstration model.",
)


def unknown(scribe: Scribe) -> Round:
    """A question that the model cannot answer, and says so."""
    topic, other = (scribe.invented() if scribe.chance(0.3) else scribe.say(_TOPICS) for _ in range(2))
    question = scribe.say(_ASKED, t=topic, u=other, n=scribe.number(1200, 2030), m=scribe.number(11, 99))
    return Round(question, "I do not know this. I say so.", scribe.pick(_ANSWERS), ("do not know",))
