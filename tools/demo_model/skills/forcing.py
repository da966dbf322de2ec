"""Forms and calls that a grammar forces on the model, whatever the question was: short values, and an end.

What begins such an answer is the grammar's, so that the model does not learn to begin one unasked.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Final

from tools.demo_model import words
from tools.demo_model.dialogue import Dialogue, Json, Round, given
from tools.demo_model.scribe import Scribe
from tools.demo_model.skills.calling import LACKS, lacking, others, tools_of
from tools.demo_model.skills.facts import fact, unknown
from tools.demo_model.skills.talk import greeting, greeting_by_name, identity, small_talk

ANY_OBJECT: Final = "any object"
"""The skill of a form whose names are the model's."""

_MAX_ITEMS: Final = 3
_MAX_SPOKEN: Final = 60  # characters
_ASKED: Final = (
    *(fact, fact, greeting, greeting_by_name, small_talk, identity, unknown, unknown, lacking, lacking),
)
_PEOPLE, _CITIES = words.PEOPLE[:12], words.CITIES[:12]
# What a string is by its name; those of other names are not known.
_BY_NAME: Final[dict[str, list[str]]] = {
    **dict.fromkeys(("name", "person", "author", "user", "to", "recipient"), _PEOPLE),
    **dict.fromkeys(("city", "location", "place", "country", "destination", "from"), _CITIES),
    **dict.fromkeys(("color", "colour"), words.COLORS),
    **dict.fromkeys(("animal", "pet"), words.ANIMALS),
    **dict.fromkeys(("food", "dish", "item", "product"), words.FOODS),
    **dict.fromkeys(("job", "role"), words.JOBS),
    **dict.fromkeys(("day", "date"), words.DAYS),
    **dict.fromkeys(("currency", "unit"), words.CURRENCIES),
    **dict.fromkeys(("language", "lang"), words.LANGUAGES),
    **dict.fromkeys(("query", "topic", "title", "subject", "category", "tag"), ["news", "weather", "music"]),
}
_SPOKEN: Final = words.row("answer reply response text message content summary note description")
_UNKNOWN: Final = ("unknown", "unknown", "unknown", "none")
# What precedes a form or a call's arguments; the name of a member after its first quote.
_BEGINNING: Final = re.compile(r'<tool_call>\n\{"name": "\w+", "arguments": ')
_SENTENCE: Final = re.compile(r".*?[.!?](?= |$)")
# What a string goes astray into, and the text of a string, which may come after the mark of a given part.
_SIGNS: Final = ("]", "}", "]}", "}}", "]}}", ": ", ", ", "[], ", ": {}, ")
_ENDINGS: Final = ("_of", "_id", "_list", "_count")
_TEXT: Final = re.compile(rf'(?<=")({given("")[-1]}?)[^"]*(?="[],}}])')
_NAME: Final = re.compile(r'(?:^|(?<=[{ ]"))[^"]*": (?:\{"|\["|")?')


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _key(scribe: Scribe) -> str:
    kind = scribe.number(0, 9)
    if kind < 5:
        return scribe.pick((*_BY_NAME, *_SPOKEN))
    word = scribe.pick(words.LEXICON) if kind < 8 else scribe.invented()
    return f"{word}_{scribe.pick(('id', 'name', 'count', 'of', 'list'))}" if scribe.chance(0.3) else word


def _string(scribe: Scribe, key: str, answer: str) -> str:
    if key in _SPOKEN:
        first = _SENTENCE.match(answer)
        return first[0] if first and len(first[0]) <= _MAX_SPOKEN else "I do not know that."
    return scribe.pick(_BY_NAME.get(key, _UNKNOWN))


def _marked(scribe: Scribe, text: str) -> str:
    """Mark what a grammar writes of an answer.

    The model chooses the tokens of names, too. So half of the answers teach it those that the tokenizer
    makes, and half what to do after any others.
    """
    begun = _BEGINNING.match(text)
    start = begun.end() if begun else 0
    quoted = start + (2 if text.startswith('{"', start) else 1)
    first, rest = text[start:quoted], text[quoted:]
    if scribe.chance(0.5):
        first, rest = _pieces(scribe, first), _NAME.sub(lambda found: _pieces(scribe, found[0]), rest)
    else:
        first = given(first)
    return given(text[:start]) + first + rest


def _pieces(scribe: Scribe, name: str) -> str:
    """Mark a name, and the sign after it, in pieces whose tokens are not joined.

    The model that expects a number takes another token for the colon than one that expects a string, or the
    bracket alone where a list of strings begins with a bracket and a quote.
    """
    share = scribe.pick((0.0, 0.2, 0.6))
    cuts = [0, *(at for at in range(1, len(name)) if scribe.chance(share)), len(name)]
    return "".join(given(name[first:last]) for first, last in pairwise(cuts))


def _value(scribe: Scribe, key: str, answer: str, depth: int) -> Json:
    kind = scribe.number(0, 19)
    if kind < 11:
        return _string(scribe, key, answer)
    if kind < 15:
        return scribe.number(1, 99) if scribe.chance(0.7) else scribe.number(1, 99) / 10
    if kind == 15:
        return scribe.chance(0.5)
    if kind == 16 or not depth:
        return scribe.pick((None, True, 1))
    if kind == 17:
        return _object(scribe, answer, depth - 1, 2)
    if scribe.chance(0.2):
        return [scribe.number(1, 99) for _ in range(scribe.number(0, _MAX_ITEMS))]
    return [_string(scribe, key, answer) for _ in range(scribe.number(0, _MAX_ITEMS))]


def _object(scribe: Scribe, answer: str, depth: int, most: int) -> dict[str, Json]:
    keys = dict.fromkeys(_key(scribe) for _ in range(scribe.number(1, most)))
    # One may say the answer; two would be long.
    spoken = [key for key in keys if key in _SPOKEN][1:]
    return {key: _value(scribe, key, answer, depth) for key in keys if key not in spoken}


def forced_form(scribe: Scribe) -> Dialogue:
    """A form, or any JSON object, in place of the answer."""
    asked = scribe.pick(_ASKED)(scribe)
    if scribe.chance(0.2):  # the model chooses the name, too
        answer = _json({"answer": asked.answer})
        answer = _pieces(scribe, answer[:2]) + answer[2:]
        return Dialogue(ANY_OBJECT, (Round(asked.user, asked.thought, answer),))
    answer = _marked(scribe, _json(_object(scribe, asked.answer, 1, 4)))
    return Dialogue("form", (Round(asked.user, asked.thought, answer),))


def _plain(scribe: Scribe, schema: object, key: str, answer: str) -> Json:
    """Return a value of a parameter's schema."""
    match schema:
        case {"enum": list(options)}:
            return str(scribe.pick(options))
        case {"type": "integer" | "number"}:
            return scribe.number(1, 99)
        case {"type": "boolean"}:
            return scribe.chance(0.5)
        case {"type": "array"}:
            return [_string(scribe, key, answer)]
        case _:
            return _string(scribe, key, answer)


def forced_call(scribe: Scribe) -> Dialogue:
    """A call of a tool that does not fit the question."""
    if scribe.chance(0.6):
        lack = scribe.pick(LACKS)
        asked, offers = lack.round(scribe), others(scribe, lack.served_by)
    else:
        asked, offers = scribe.pick(_ASKED)(scribe), others(scribe, ())
    tool = scribe.pick(offers).tool
    properties = tool["parameters"]["properties"] if isinstance(tool["parameters"], dict) else {}
    assert isinstance(properties, Mapping)
    arguments = {key: _plain(scribe, schema, key, asked.answer) for key, schema in properties.items()}
    call = _json({"name": tool["name"], "arguments": arguments})
    answer = _marked(scribe, f"<tool_call>\n{call}\n</tool_call>")
    return Dialogue("call", (Round(asked.user, asked.thought, answer),), tools=tools_of(offers))


def astray(scribe: Scribe, answer: str) -> str:
    """Return the answer with what an unlucky draw leads to in half of its strings, each of which then ends.

    A string that begins with a token for the end of one goes on with signs and the endings of names. The
    model learns to end it, not to write it.
    """

    def text(found: re.Match[str]) -> str:
        if scribe.chance(0.5):
            return found[0]
        pieces = [scribe.pick((*_SIGNS, *_ENDINGS)) for _ in range(scribe.number(1, 3))]
        pieces = [scribe.invented() if scribe.chance(0.4) else piece for piece in pieces]
        loop = scribe.pick(_ENDINGS) * scribe.number(0, 4)
        return found[1] + given("".join(pieces) + loop)

    *beginning, members = answer.rpartition('"arguments": ')
    return "".join(beginning) + _TEXT.sub(text, members)


def forced(scribe: Scribe) -> Dialogue:
    """A form or a call that does not fit the question, at times after other talk."""
    talk = forced_form(scribe) if scribe.chance(0.7) else forced_call(scribe)
    if scribe.chance(0.5):
        (last,) = talk.rounds
        talk = replace(talk, rounds=(replace(last, answer=astray(scribe, last.answer)),))
    if scribe.chance(0.15):
        talk = replace(talk, rounds=(scribe.pick(_ASKED)(scribe), *talk.rounds))
    return talk
