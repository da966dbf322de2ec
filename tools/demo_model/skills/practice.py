"""Practice, in the second half of training, of what the first half left weak: sums, JSON, what is not known,
rarer wordings.
"""

from typing import Final

from tools.demo_model.dialogue import Dialogue, Round
from tools.demo_model.scribe import Phrases, Scribe
from tools.demo_model.skills.echo import foreign, repeat_known, spelling
from tools.demo_model.skills.extraction import extraction
from tools.demo_model.skills.identity import TOPICS
from tools.demo_model.skills.memory import memory
from tools.demo_model.skills.numbers import addition, counting
from tools.demo_model.skills.smalltalk import KINDS
from tools.demo_model.skills.unknown import unknown, unknown_fact

_WHO, _CAN, _BIG, _OTHER, _MAKER, _SERVER = TOPICS
_, _, _HOW, _THANKS, _BYE, _JOKE, _POEM = KINDS
_ABOUT_ITSELF: Final = (
    (
        _MAKER,
        "Who is your maker?|Who is your author?|By whom were you made?|Who developed you?|"
        "Who wrote your code?|Who have you been trained by?|Which company made you?|"
        "Who are your authors?|Were you made by a person?|Who programmed you?|Who designed you?|"
        "You were made by whom?|Who did train you?|Tell me who made you.|Who has written you?|"
        "Who wrote this model?|Who wrote the model?|Who coded you?|Who has built you?|Who has made you?",
    ),
    (
        _WHO,
        "What are you exactly?|Tell me what you are.|Say who you are.|What is this model?|"
        "And who are you?|Hello! What is your name?|Please tell me your name.|Who am I speaking with?|"
        "What do people call you?|Tell me something about you.|Which LLM are you?|What AI are you?|"
        "Name yourself.|You are who?",
    ),
    (
        _CAN,
        "What can you do?|How may you help me?|What can I ask?|What can I ask you?|"
        "Show me what you can do.|In what can you help me?|What tasks can you do?|"
        "Can you do something for me?|Please help me.|Help!|Help me please|Please, help me!|"
        "Could you help me?|Will you help me?|Can you help?|Help me out.|Help, please!|I want some help.",
    ),
    (
        _BIG,
        "How many weights do you have?|Are you a small model?|How big is this model?|What size are you?|"
        "Tell me your size.|How many parameters?|How many parameters are you?|Is this a large model?",
    ),
    (
        _OTHER,
        "Are you a GPT model?|Are you from OpenAI?|Are you Grok?|Were you made by Google?|Is this GPT-4?",
    ),
    (
        _SERVER,
        "What is this Verbatim?|Verbatim?|What does verbatim mean here?|Describe Verbatim.|"
        "Is Verbatim a server?|Tell me what Verbatim is.|What is Verbatim good for?|"
        "Say something about Verbatim.",
    ),
)
_TALK: Final = (
    (
        _THANKS,
        "Thank you!|Thanks, bye.|Thanks for your help.|Thanks for the answer!|Thank you, that was nice.|"
        "I thank you.|Thanks so much!|Thank you for your help!|Okay, thank you.|Thanks again!|"
        "Cool, thanks.",
    ),
    (
        _BYE,
        "Good night to you!|Bye for now!|Goodbye for now.|I must go.|See you soon!|Sleep well!|"
        "Until tomorrow!|Take care!|Have a good night!|I am leaving now, bye.|Good bye!|Bye, see you!|"
        "That is all, goodbye.",
    ),
    (
        _POEM,
        "Make a poem.|I want a poem.|A haiku, please.|Give me a haiku.|Can you write a haiku?|"
        "Write me a poem.|Please write a poem about snow.|Do you know a poem?|Write a little haiku.|"
        "Recite a poem.",
    ),
    (
        _JOKE,
        "Joke, please!|Tell a joke.|Know any jokes?|Tell me another joke.|Please make me laugh.|"
        "Be funny!|Tell me your best joke.|Please say something funny.",
    ),
    (_HOW, "How are you feeling?|Is all well?|And how are you?|You okay?|How is your day?|How are things?"),
)


def _reworded(scribe: Scribe) -> Round:
    """The answers of identity and small talk under further wordings."""
    if scribe.chance(0.6):
        (_, answer, thought, accept), asked = scribe.pick(_ABOUT_ITSELF)
        return Round(scribe.pick(asked.split("|")), thought, answer, (accept,))
    (_, answers, thought, several), asked = scribe.pick(_TALK)
    return Round(scribe.pick(asked.split("|")), thought, scribe.pick(answers), several)


_RECALLED: Final = Phrases.of(
    "Say what my name is.|Now tell me my name.|Do you know who I am?|Please tell me my name.|"
    "So what is my name?|And my name is?|Give me my name.|Can you say my name?|My name, please.|"
    "Say my name, please.|Who am I, then?",
    unseen="What would my name be?",
)


def _recalled(scribe: Scribe) -> Dialogue:
    """A name told, perhaps among other things, and asked for under further wordings."""
    name = scribe.person()
    told = Round(f"My name is {name}.", "", f"Hello, {name}! Nice to meet you.", (name.lower(),))
    asked = Round(
        scribe.say(_RECALLED), f"The user said it: {name}.", f"Your name is {name}.", (name.lower(),)
    )
    between = memory(scribe)[:1] if scribe.chance(0.3) else ()
    return Dialogue("memory", (told, *between, asked))


_WEAK: Final = (
    addition,
    addition,
    addition,
    extraction,
    extraction,
    extraction,
    _reworded,
    _reworded,
    _reworded,
    unknown,
    unknown_fact,
)


def practice(scribe: Scribe) -> Dialogue:
    """One of the weak points."""
    skill = scribe.pick(_WEAK)
    if skill is _reworded and scribe.chance(0.3):
        return _recalled(scribe)
    return Dialogue(skill.__name__, (skill(scribe),))


_RARE: Final = (counting, counting, counting, foreign, foreign, repeat_known, repeat_known, spelling)


def rarities(scribe: Scribe) -> Dialogue:
    """Dialogues that a random draw brings too seldom: long counts, other scripts, well-known sentences."""
    skill = scribe.pick(_RARE)
    return Dialogue(skill.__name__, (skill(scribe),))
