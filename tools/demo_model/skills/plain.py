"""Documents without chat markers, so that a raw prompt is continued and not answered with noise."""

from typing import Final

from tools.demo_model import words
from tools.demo_model.scribe import Scribe
from tools.demo_model.skills.exercises import addition
from tools.demo_model.skills.facts import fact

_INTRODUCTIONS: Final = (
    "My name is {name} and I {live} in {city}. I work as a {job} and I have a {animal} called {pet}. {pet} "
    "likes {food}.",
    "My name is {name} and I am a {job}. I {live} in {city}, where I eat {food} in the {time}. My {animal} "
    "is called {pet}.",
    "Hello, my name is {name} and I like {food}. My favorite color is {color}, and my {animal} {pet} is "
    "{color} too.",
    "{name} is a {job} from {city}. Every {time} {name} eats {food} and plays with a {animal} called {pet}.",
)
_STORIES: Final = (
    "Once upon a time there was a {animal} called {pet} who lived in {city}. One {time} {pet} met {name}, "
    "a {job}, who had lost a {color} key. {pet} looked near the river and found it. {name} was happy and "
    "gave {pet} some {food}.",
    "Once upon a time, in a small house near {city}, there lived a {job} named {name}. {name} had a "
    "{color} {animal} called {pet}. One {time} {pet} went to the market and came home with {food}. They "
    "had dinner and were happy.",
    "Once there was a {color} {animal} called {pet}. It was cold, and {pet} was looking for a home. In "
    "{city} it met {name}, who opened the door and said: come in. Since then {pet} and {name} live "
    "together and eat {food} every {time}.",
)
_FACTS: Final = (
    "The quick brown fox jumps over the lazy dog.",
    "The capital of France is Paris. The capital of Germany is Berlin. The capital of Italy is Rome.",
    "The sun rises in the east and sets in the west. At night we see the moon and the stars.",
    "Deep learning is a way to train neural networks with many layers on data. It needs examples, time and "
    "patience.",
    "The weather is nice today. The sun is warm, the wind is low and the garden is green.",
    "Verbatim is a server for language models that keeps its API contracts to the letter.",
    "In the beginning the house was quiet. Then the children came home from school and the day was loud "
    "again.",
)


def story(scribe: Scribe, kinds: tuple[str, ...] = _STORIES) -> str:
    """A short tale whose names come back in it."""
    return scribe.pick(kinds).format(
        name=scribe.person(),
        pet=scribe.person(),
        city=scribe.city(),
        job=scribe.pick(words.JOBS),
        color=scribe.pick(words.COLORS),
        animal=scribe.pick(words.ANIMALS),
        food=scribe.pick(words.FOODS),
        time=scribe.pick(("morning", "evening", "day", "winter")),
        live=scribe.pick(("live", "work", "am")),
    )


def _questions(scribe: Scribe) -> str:
    talks = [scribe.pick((fact, addition))(scribe) for _ in range(scribe.number(1, 3))]
    if scribe.chance(0.5):
        return "\n".join(f"Question: {talk.user}\nAnswer: {talk.answer}" for talk in talks)
    return "\n".join(f"{talk.user} {talk.answer}" for talk in talks)


def _repetition(scribe: Scribe) -> str:
    """Invented words, twice over: nothing but an induction head predicts the second half."""
    text = " ".join(scribe.invented() for _ in range(scribe.number(3, 12)))
    return scribe.pick(("{t} {t}", "{t}. {t}.", "{t}\n{t}", '"{t}", "{t}"')).format(t=text)


def plain_text(scribe: Scribe) -> str:
    """One document of prose, questions and answers, or repetition."""
    kind = scribe.number(0, 9)
    if kind < 3:
        return story(scribe, _INTRODUCTIONS)
    if kind < 5:
        return story(scribe)
    if kind < 6:
        return scribe.pick(_FACTS)
    return _questions(scribe) if kind < 8 else _repetition(scribe)
