"""Things that the user says in one turn and asks for in a later one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tools.demo_model import words
from tools.demo_model.dialogue import Round
from tools.demo_model.scribe import Phrases, Scribe
from tools.demo_model.skills.facts import fact
from tools.demo_model.skills.talk import small_talk


@dataclass(frozen=True)
class Keepsake:
    """One kind of thing to remember: how it is told, noted, asked for and given back."""

    draw: Callable[[Scribe], str]
    told: Phrases
    noted: str
    asked: Phrases
    recalled: str


_NAME: Final = Keepsake(
    Scribe.person,
    Phrases.of(
        "My name is {x}.|I am {x}.|I'm {x}.|Hello, I am {x}.|Hi, my name is {x}!|Call me {x}.|my name is {x}|"
        "Hello! My name is {x}.|People call me {x}.|Hi! I'm {x}.|You can call me {x}.|{x} is my name.|"
        "Hello, my name is {x}. Please remember it.|Remember: my name is {x}.",
        unseen="Good morning, my name is {x}.|Hi, I am {x}.|Hello, my name is {x}.",
    ),
    "Hello, {x}! Nice to meet you.",
    Phrases.of(
        "What is my name?|what is my name|Who am I?|Do you remember my name?|What's my name?|Say my name.|"
        "Do you know my name?|Tell me my name.|What was my name?|And what is my name?|"
        "What did I say my name was?|Say what my name is.|Now tell me my name.|Do you know who I am?|"
        "Please tell me my name.|So what is my name?|And my name is?|Give me my name.|Can you say my name?|"
        "My name, please.|Say my name, please.|Who am I, then?",
        unseen="Can you tell me my name?|Please say my name.|Do you still know my name?",
    ),
    "Your name is {x}.",
)
_COLOR: Final = Keepsake(
    lambda scribe: scribe.pick(words.COLORS) if scribe.chance(0.4) else scribe.invented(),
    Phrases.of(
        "My favorite color is {x}.|My favourite colour is {x}.|I like the color {x}.|I love the color {x}.|"
        "{x} is my favorite color.|The color I like best is {x}.|Remember that my favorite color is {x}.",
        unseen="My favourite color is {x}.|I like the colour {x} best.",
    ),
    "{x} is a nice color.",
    Phrases.of(
        "What is my favorite color?|What is my favourite colour?|Which color do I like?|What color do I "
        "like?|Do you remember my favorite color?|What's my favorite color?|Which color is my favorite?",
        unseen="Tell me my favorite color.|Which colour do I like best?",
    ),
    "Your favorite color is {x}.",
)
_CITY: Final = Keepsake(
    Scribe.city,
    Phrases.of(
        "I live in {x}.|I am from {x}.|My home is {x}.|I come from {x}.|I'm from {x}.|My city is {x}.|"
        "I was born in {x}.|I live in {x}, by the way.|Remember that I live in {x}.",
        unseen="I am living in {x}.|My home town is {x}.|I live in the city of {x}.",
    ),
    "{x} must be a nice place.",
    Phrases.of(
        "Where do I live?|Where am I from?|Which city do I live in?|What is my city?|Do you know where I "
        "live?|Where is my home?|Tell me where I live.|In which city do I live?",
        unseen="Which city am I from?|Do you remember where I live?",
    ),
    "You live in {x}.",
)
_PET: Final = Keepsake(
    Scribe.person,
    Phrases.of(
        "My dog is called {x}.|I have a dog named {x}.|My dog's name is {x}.|The name of my dog is {x}.|"
        "I have a dog, {x}.|We have a dog called {x}.",
        unseen="There is a dog in my house, named {x}.|My dog is named {x}.",
    ),
    "{x} is a good name for a dog.",
    Phrases.of(
        "What is my dog called?|What is the name of my dog?|What is my dog's name?|"
        "Do you remember my dog's name?",
        unseen="Tell me the name of my dog.|How is my dog called?",
    ),
    "Your dog is called {x}.",
)
_CODE: Final = Keepsake(
    Scribe.code,
    Phrases.of(
        "The code is {x}.|Remember the code {x}.|My code is {x}.|Please remember this code: {x}.|Code: {x}|"
        "The secret word is {x}.|Keep in mind: {x}",
        unseen="Remember: the code is {x}.|Please remember the code {x}.",
    ),
    "I will remember {x}.",
    Phrases.of(
        "What is the code?|What was the code?|Tell me the code.|Which code did I give you?|Repeat the code.|"
        "What should you remember?",
        unseen="Please tell me the code.|Do you remember the code?",
    ),
    "The code is {x}.",
)
_KEEPSAKES: Final = (_NAME, _NAME, _NAME, _COLOR, _CITY, _PET, _CODE)


def _told(scribe: Scribe, keepsake: Keepsake, x: str) -> Round:
    noted = keepsake.noted.format(x=x)
    thought = "The user tells me something. I keep it in mind."
    return Round(scribe.say(keepsake.told, x=x), thought, noted, (x.lower(),))


def memory(scribe: Scribe) -> tuple[Round, ...]:
    """One or two things told, perhaps other talk, then one of them asked for."""
    first = scribe.number(0, len(_KEEPSAKES) - 1)
    kept = [(_KEEPSAKES[first], _KEEPSAKES[first].draw(scribe))]
    second = scribe.pick(_KEEPSAKES)
    if second is not kept[0][0] and scribe.chance(0.4):
        kept.append((second, second.draw(scribe)))
    rounds = [_told(scribe, keepsake, x) for keepsake, x in kept]
    if scribe.chance(0.3):
        rounds.append(scribe.pick((fact, small_talk))(scribe))
    keepsake, x = scribe.pick(kept)
    answer = keepsake.recalled.format(x=x)
    rounds.append(Round(scribe.say(keepsake.asked), f"The user said it: {x}.", answer, (x.lower(),)))
    return tuple(rounds)


def memory_in_one(scribe: Scribe) -> Round:
    """Told and asked for in the same message."""
    keepsake = scribe.pick(_KEEPSAKES)
    x = keepsake.draw(scribe)
    question = f"{scribe.say(keepsake.told, x=x)} {scribe.say(keepsake.asked)}"
    return Round(question, f"The user said it: {x}.", keepsake.recalled.format(x=x), (x.lower(),))
