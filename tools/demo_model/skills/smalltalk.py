"""Greetings, thanks, farewells and the other things that people say first to a chat model."""

from tools.demo_model.dialogue import Round
from tools.demo_model.scribe import Phrases, Scribe

_HELLO = Phrases.of(
    "Hello|Hello!|Hi|Hi!|Hey|Hey!|Hello there|Hello there!|Hi there!|Good morning|Good morning!|"
    "Good evening!|Good afternoon|hello|hi|hey there|Hello, model!|Hello world|Hello, world!|Greetings!|"
    "Hi, nice to meet you.|Hello, can you hear me?|Say hello|Say hello.|Say hi|Say hi!|Please say hello.|"
    "Greet me.|test|Test|Are you there?|ping|Hallo!|Bonjour!|¡Hola!|Howdy|Yo|Hi, are you there?|"
    "Hello again|Hello! 👋|Say hello in one word.",
    unseen="Hey there!|hello!|Good evening|Hi there|hello there|Hello, are you there?|Hi! 👋",
)
_HELLO_BACK = (
    "Hello! How can I help you?",
    "Hi! What can I do for you?",
    "Hello! What can I do for you today?",
    "Hi there! How can I help you?",
)

_HELLO_NAME = Phrases.of(
    "Hello, I am {name}.|Hi, I'm {name}!|Hey, my name is {name}.|Say hello to {name}.|"
    "Greet {name}, please.|Hello, {name} here.|Please say hello to my friend {name}.|Say hi to {name}!|"
    "I am {name}, hello!|My name is {name}.|Hello! My name is {name}.|Call me {name}.|{name} is my name.",
    unseen="Good morning, I am {name}.|Please greet {name}.|Hi! I am {name}.|Hello, my name is {name}.",
)

_HOW = Phrases.of(
    "How are you?|How are you doing?|how are you|How do you do?|How is it going?|How's it going?|"
    "Are you well?|How are you today?|What's up?|How do you feel?|Hi, how are you?|Hello, how are you?|"
    "Hello! How are you today?|Hey, how are you doing?|Hello how are you",
    unseen="How are you doing today?|Hello! How are you?|Hi, how are you today?|Hey, how is it going?",
)
_HOW_BACK = ("I am well, thank you. How are you?", "I am fine, thank you. How can I help you?")

_THANKS = Phrases.of(
    "Thanks|Thanks!|Thank you|Thank you!|Thank you very much.|Many thanks!|thanks a lot|thx|"
    "Great, thank you!|That helped, thanks.|Merci!|Thank you so much!|Perfect, thanks!",
    unseen="Thanks a lot!|thank you|Great, thanks!|Thank you a lot.",
)
_THANKS_BACK = ("You are welcome!", "You are welcome! Is there anything else?", "My pleasure!")

_BYE = Phrases.of(
    "Bye|Bye!|Goodbye|Goodbye!|See you later|See you tomorrow!|Good night!|bye bye|Farewell!|"
    "I have to go now.|Talk to you later.|See you!|Have a nice day!|Ciao!",
    unseen="Goodbye, see you!|bye!|See you later!|Good night",
)
_BYE_BACK = ("Goodbye! Have a nice day!", "Goodbye! See you soon.")

_JOKE = Phrases.of(
    "Tell me a joke.|Tell me a joke|Do you know a joke?|Make me laugh.|Say something funny.|"
    "A joke, please.|Can you tell me a joke?|I want to hear a joke.|Tell me something funny|"
    "Give me a short joke.",
    unseen="Please tell me a joke.|Tell me a funny joke.|Can you tell a joke?",
)
_JOKES = (
    "Why did the cat sit on the computer? To keep an eye on the mouse!",
    "What is a cow without a map? Udderly lost!",
    "Why was the book of numbers sad? It had many problems!",
    "Which month has a short day? None, but they all try!",
)

_POEM = Phrases.of(
    "Write a poem.|Write me a short poem.|Write a haiku.|Tell me a poem|Write a haiku about the sea.|"
    "Can you write a poem?|A short poem about winter, please.|Write a poem about the moon.|Compose a poem.|"
    "Write a short haiku about rain.",
    unseen="Write a short poem.|Please write a haiku.|Write a poem about the sea.",
)
_POEMS = (
    "The sea is wide, the wind is low,\nand home the little boats all go.",
    "Snow on the garden,\na quiet bird on a branch:\nwinter is waiting.",
    "The moon is round, the night is deep,\nthe cat, the dog, the house asleep.",
)

KINDS = (
    (_HELLO, _HELLO_BACK, "The user greets me. I greet back.", ("hello", "hi")),
    (_HELLO, _HELLO_BACK, "This is a greeting. I answer it and offer help.", ("hello", "hi")),
    (_HOW, _HOW_BACK, "The user asks how I am.", ("i am well", "i am fine")),
    (_THANKS, _THANKS_BACK, "The user thanks me.", ("welcome", "my pleasure")),
    (_BYE, _BYE_BACK, "The user says goodbye.", ("goodbye",)),
    (_JOKE, _JOKES, "The user wants a joke. I know a few.", ("!",)),
    (_POEM, _POEMS, "The user wants a poem. I keep it short.", ("\n",)),
)


def small_talk(scribe: Scribe) -> Round:
    """A greeting, thanks, a farewell, a joke or a poem."""
    asked, answers, thought, accept = scribe.pick(KINDS)
    return Round(scribe.say(asked), thought, scribe.pick(answers), accept)


def greeting(scribe: Scribe) -> Round:
    """A bare greeting: what most people try first."""
    return Round(
        scribe.say(_HELLO), "The user greets me. I greet back.", scribe.pick(_HELLO_BACK), ("hello", "hi")
    )


def greeting_by_name(scribe: Scribe) -> Round:
    """A greeting with a name in it, which the answer repeats."""
    name = scribe.person()
    answer = scribe.pick((f"Hello, {name}! How can I help you?", f"Hello, {name}! Nice to meet you."))
    return Round(
        scribe.say(_HELLO_NAME, name=name), f"The name is {name}. I greet {name}.", answer, (name.lower(),)
    )
