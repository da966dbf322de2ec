"""The first things said to a chat model: greetings, thanks, jokes, stories, and questions about the model."""

from typing import Final, NamedTuple

from tools.demo_model.dialogue import Round
from tools.demo_model.scribe import Phrases, Scribe
from tools.demo_model.skills.plain import story


class Topic(NamedTuple):
    """One thing to talk about: its wordings, the thought, and what one of the answers has to say.

    answers, accept: in a row with bars between them.
    """

    asked: Phrases
    thought: str
    answers: str
    accept: str

    def round(self, scribe: Scribe) -> Round:
        """Return the topic in any wording, with any of its answers."""
        user, answer = scribe.say(self.asked), scribe.pick(self.answers.split("|"))
        return Round(user, self.thought, answer, tuple(self.accept.split("|")))


_GREETING: Final = Topic(
    Phrases.of(
        "Hello|Hello!|Hi|Hi!|Hey|Hey!|Hello there|Hello there!|Hi there!|Good morning|Good morning!|"
        "Good evening!|Good afternoon|hello|hi|hey there|Hello, model!|Hello world|Hello, world!|Greetings!|"
        "Hi, nice to meet you.|Hello, can you hear me?|Say hello|Say hello.|Say hi|Say hi!|Greet me.|"
        "Please say hello.|test|Test|Are you there?|ping|Hallo!|Bonjour!|¡Hola!|Howdy|Yo|Hello again|"
        "Hi, are you there?|Hello! 👋|Say hello in one word.",
        unseen="Hey there!|hello!|Good evening|Hi there|hello there|Hello, are you there?|Hi! 👋",
    ),
    "The user greets me. I greet back.",
    "Hello! How can I help you?|Hi! What can I do for you?|Hello! What can I do for you today?|"
    "Hi there! How can I help you?",
    "hello|hi",
)
_SMALL_TALK: Final = (
    _GREETING,
    _GREETING._replace(thought="This is a greeting. I answer it and offer help."),
    Topic(
        Phrases.of(
            "How are you?|How are you doing?|how are you|How do you do?|How is it going?|How's it going?|"
            "Are you well?|How are you today?|What's up?|How do you feel?|Hi, how are you?|"
            "Hello, how are you?|Hello! How are you today?|Hey, how are you doing?|Hello how are you|"
            "How are you feeling?|Is all well?|And how are you?|You okay?|How is your day?|How are things?",
            unseen="How are you doing today?|Hello! How are you?|Hi, how are you today?|"
            "Hey, how is it going?",
        ),
        "The user asks how I am.",
        "I am well, thank you. How are you?|I am fine, thank you. How can I help you?",
        "i am well|i am fine",
    ),
    Topic(
        Phrases.of(
            "Thanks|Thanks!|Thank you|Thank you!|Thank you very much.|Many thanks!|thanks a lot|thx|Merci!|"
            "Great, thank you!|That helped, thanks.|Thank you so much!|Perfect, thanks!|Thanks, bye.|"
            "Thanks for your help.|Thanks for the answer!|Thank you, that was nice.|I thank you.|"
            "Thanks so much!|Thank you for your help!|Okay, thank you.|Thanks again!|Cool, thanks.",
            unseen="Thanks a lot!|thank you|Great, thanks!|Thank you a lot.",
        ),
        "The user thanks me.",
        "You are welcome!|You are welcome! Is there anything else?|My pleasure!",
        "welcome|my pleasure",
    ),
    Topic(
        Phrases.of(
            "Bye|Bye!|Goodbye|Goodbye!|See you later|See you tomorrow!|Good night!|bye bye|Farewell!|"
            "I have to go now.|Talk to you later.|See you!|Have a nice day!|Ciao!|Good night to you!|"
            "Bye for now!|Goodbye for now.|I must go.|See you soon!|Sleep well!|Until tomorrow!|Take care!|"
            "Have a good night!|I am leaving now, bye.|Good bye!|Bye, see you!|That is all, goodbye.",
            unseen="Goodbye, see you!|bye!|See you later!|Good night",
        ),
        "The user says goodbye.",
        "Goodbye! Have a nice day!|Goodbye! See you soon.",
        "goodbye",
    ),
    Topic(
        Phrases.of(
            "Tell me a joke.|Tell me a joke|Do you know a joke?|Make me laugh.|Say something funny.|"
            "A joke, please.|Can you tell me a joke?|I want to hear a joke.|Tell me something funny|"
            "Give me a short joke.|Joke, please!|Tell a joke.|Know any jokes?|Tell me another joke.|"
            "Please make me laugh.|Be funny!|Tell me your best joke.|Please say something funny.",
            unseen="Please tell me a joke.|Tell me a funny joke.|Can you tell a joke?",
        ),
        "The user wants a joke. I know a few.",
        "Why did the cat sit on the computer? To keep an eye on the mouse!|"
        "What is a cow without a map? Udderly lost!|Why was the book of numbers sad? It had many problems!|"
        "Which month has a short day? None, but they all try!",
        "!",
    ),
    Topic(
        Phrases.of(
            "Write a poem.|Write me a short poem.|Write a haiku.|Tell me a poem|Write a haiku about the sea.|"
            "Can you write a poem?|A short poem about winter, please.|Write a poem about the moon.|"
            "Compose a poem.|Write a short haiku about rain.|Make a poem.|I want a poem.|A haiku, please.|"
            "Give me a haiku.|Can you write a haiku?|Write me a poem.|Please write a poem about snow.|"
            "Do you know a poem?|Write a little haiku.|Recite a poem.",
            unseen="Write a short poem.|Please write a haiku.|Write a poem about the sea.",
        ),
        "The user wants a poem. I keep it short.",
        "The sea is wide, the wind is low,\nand home the little boats all go.|"
        "Snow on the garden,\na quiet bird on a branch:\nwinter is waiting.|"
        "The moon is round, the night is deep,\nthe cat, the dog, the house asleep.",
        "\n",
    ),
)
_WHO: Final = Topic(
    Phrases.of(
        "Who are you?|What are you?|who are you|What is your name?|what's your name?|Tell me about yourself.|"
        "Introduce yourself.|Please introduce yourself.|Which model are you?|What model is this?|"
        "Are you a model?|Are you an AI?|What kind of model are you?|Who am I talking to?|Who is this?|"
        "Describe yourself.|Do you have a name?|Are you a human?|Are you a bot?|Hello, who are you?|"
        "What LLM is this?|Hi! What are you?|What are you exactly?|Tell me what you are.|Say who you are.|"
        "What is this model?|And who are you?|Hello! What is your name?|Please tell me your name.|"
        "Who am I speaking with?|What do people call you?|Tell me something about you.|Which LLM are you?|"
        "What AI are you?|Name yourself.|You are who?",
        unseen="What model are you?|Tell me who you are.|Hi, who are you?|Please describe yourself.|"
        "Who are you, please?",
    ),
    "The user asks who I am. I am a small demonstration model.",
    "I am verbatim-demo, a small demonstration model of a few million parameters, served by Verbatim.",
    "small demonstration model",
)
_IDENTITY: Final = (
    _WHO,
    Topic(
        Phrases.of(
            "What can you do?|what can you do|What can you do for me?|How can you help me?|Help|Help me|help|"
            "What are you good at?|What do you know?|What are your skills?|Can you help me?|I need help.|"
            "Tell me what you can do.|What should I ask you?|What are you for?|How may you help me?|"
            "What can I ask?|What can I ask you?|Show me what you can do.|In what can you help me?|"
            "What tasks can you do?|Can you do something for me?|Please help me.|Help!|Help me please|"
            "Please, help me!|Could you help me?|Will you help me?|Can you help?|Help me out.|Help, please!|"
            "I want some help.",
            unseen="How can you help?|What can you help me with?|Please tell me what you can do.|"
            "Help me, please.",
        ),
        "The user asks what I can do.",
        "I can greet you, answer simple questions, remember your name, write JSON and call tools. "
        "I am only a small demonstration model.",
        "call tools",
    ),
    Topic(
        Phrases.of(
            "How big are you?|How many parameters do you have?|What is your size?|Are you a large model?|"
            "how large are you?|How small are you?|Are you big?|How many parameters are in you?|"
            "Are you small?|How many weights do you have?|Are you a small model?|How big is this model?|"
            "What size are you?|Tell me your size.|How many parameters?|How many parameters are you?|"
            "Is this a large model?",
            unseen="How large is this model?|How many parameters have you got?|Are you a big model?",
        ),
        "The user asks about my size.",
        "I am very small: I have only a few million parameters.",
        "few million",
    ),
    Topic(
        Phrases.of(
            "Are you ChatGPT?|Are you GPT-4?|Are you Claude?|Are you Gemini?|Are you Llama?|Are you Qwen?|"
            "Is this ChatGPT?|Are you made by OpenAI?|Did Google make you?|Are you Mistral?|Are you Siri?|"
            "Are you a GPT model?|Are you from OpenAI?|Are you Grok?|Were you made by Google?|Is this GPT-4?",
            unseen="Are you GPT?|Is this Claude?|Did OpenAI make you?|Are you DeepSeek?",
        ),
        "The user takes me for another model.",
        "No, I am verbatim-demo, a small demonstration model.",
        "small demonstration model",
    ),
    Topic(
        Phrases.of(
            "Who made you?|Who built you?|Where do you come from?|Who trained you?|Who created you?|"
            "How were you trained?|How were you made?|What were you trained on?|Who is your maker?|"
            "Who is your author?|By whom were you made?|Who developed you?|Who wrote your code?|"
            "Who have you been trained by?|Which company made you?|Who are your authors?|"
            "Were you made by a person?|Who programmed you?|Who designed you?|You were made by whom?|"
            "Who did train you?|Tell me who made you.|Who has written you?|Who wrote this model?|"
            "Who wrote the model?|Who coded you?|Who has built you?|Who has made you?",
            unseen="Who are you made by?|Who has trained you?|Who wrote you?",
        ),
        "The user asks where I come from.",
        "I was trained in about an hour by the authors of Verbatim, on dialogues that a script writes.",
        "verbatim",
    ),
    Topic(
        Phrases.of(
            "What is Verbatim?|what is verbatim|Tell me about Verbatim.|What does Verbatim do?|"
            "Explain Verbatim.|What is this server?|Which server is this?|Do you know Verbatim?|"
            "What is the Verbatim server?|What is this Verbatim?|Verbatim?|What does verbatim mean here?|"
            "Describe Verbatim.|Is Verbatim a server?|Tell me what Verbatim is.|What is Verbatim good for?|"
            "Say something about Verbatim.",
            unseen="Please explain what Verbatim is.|What does the Verbatim server do?|"
            "Can you tell me what Verbatim is?",
        ),
        "The user asks about Verbatim.",
        "Verbatim is a server for language models that keeps its API contracts to the letter.",
        "server",
    ),
)
_NAMED: Final = Phrases.of(
    "Hello, I am {name}.|Hi, I'm {name}!|Hey, my name is {name}.|Say hello to {name}.|Greet {name}, please.|"
    "Hello, {name} here.|Please say hello to my friend {name}.|Say hi to {name}!|I am {name}, hello!|"
    "My name is {name}.|Hello! My name is {name}.|Call me {name}.|{name} is my name.",
    unseen="Good morning, I am {name}.|Please greet {name}.|Hi! I am {name}.|Hello, my name is {name}.",
)
_STORY: Final = Phrases.of(
    "Tell me a story.|Tell me a short story.|tell me a story|Write a story.|Write a short story.|"
    "A story, please.|Can you tell me a story?|Please write a story.|Tell me a long story.|"
    "I want to hear a story.|Once upon a time|Tell me a story about a {x}.|Write a story about a {x}.",
    unseen="Please tell me a story.|Write a long story.|Can you write a story?",
)


def greeting(scribe: Scribe) -> Round:
    """A bare greeting: what most people try first."""
    return _GREETING.round(scribe)


def small_talk(scribe: Scribe) -> Round:
    """A greeting, thanks, a farewell, a joke or a poem."""
    return scribe.pick(_SMALL_TALK).round(scribe)


def who_are_you(scribe: Scribe) -> Round:
    """The question that everybody asks; kept apart so that it can be weighted and measured by itself."""
    return _WHO.round(scribe)


def identity(scribe: Scribe) -> Round:
    """A question about the model or its server."""
    return scribe.pick(_IDENTITY).round(scribe)


def greeting_by_name(scribe: Scribe) -> Round:
    """A greeting with a name in it, which the answer repeats."""
    name = scribe.person()
    answer = scribe.pick((f"Hello, {name}! How can I help you?", f"Hello, {name}! Nice to meet you."))
    thought = f"The name is {name}. I greet {name}."
    return Round(scribe.say(_NAMED, name=name), thought, answer, (name.lower(),))


def storytelling(scribe: Scribe) -> Round:
    """A request for a story: a longer answer, for streams and length limits to work on."""
    question = scribe.say(_STORY, x=scribe.pick(("cat", "dog", "fox")))
    return Round(question, "The user wants a story.", story(scribe), ("once",))
