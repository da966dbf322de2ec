"""A custom tool, whose input is a text, as a function with one string, `input`; and its calls' inputs."""

import json
import re
from typing import Final, Literal, NamedTuple

from handlers.chat.structured_output.lark_grammar import text_grammar
from handlers.chat.tools import ToolDefinition
from verbatim_kit.errors import Refused, Violation

INPUT: Final = "input"

_MAX_CHARACTERS: Final = 65_536  # of all grammars of a request; half a second to read

_OPENING: Final = re.compile(rf'\s*\{{\s*"{INPUT}"\s*:\s*"')
_PAIR: Final = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # of surrogates
_ESCAPE: Final = rf'\\(?:["\\/bfnrt]|u(?![dD][89abAB])[0-9a-fA-F]{{4}}|{_PAIR})'
_CERTAIN: Final = re.compile(rf'(?:[^"\\]|{_ESCAPE})*')
_REST: Final = re.compile(r'(?:[^"\\]|\\.)*', re.DOTALL)


class InputGrammar(NamedTuple):
    """The form of a custom tool's input, as OpenAI's contracts write it."""

    syntax: Literal["regex", "lark"]
    definition: str


class CustomFunctions:
    """The functions that stand for the custom tools of one request."""

    def __init__(self) -> None:
        self._num_characters = 0  # of all grammars

    def function(
        self, name: str, description: str | None, grammar: InputGrammar | None, field: str
    ) -> ToolDefinition:
        """Return the function that stands for a tool. A grammar binds the input, and the model reads one of
        Lark's. field: the place of the grammar's definition.

        Raises InvalidResponseFormat for a Lark grammar that cannot bind a text, and Refused for more grammars
        than are read in a second.
        """
        text: dict[str, object] = {"type": "string"}
        rules = None
        if grammar is not None:
            self._num_characters += len(grammar.definition)
            if self._num_characters > _MAX_CHARACTERS:
                reason = f"The grammars of all tools may have {_MAX_CHARACTERS:,} characters together."
                raise Refused(reason, field, Violation.TOO_LONG)
            if grammar.syntax == "regex":
                text["pattern"] = f"^(?:{grammar.definition})$"
            else:
                rules = text_grammar(grammar.definition, field)
                read = f"The {INPUT} follows this Lark grammar:\n{grammar.definition}"
                description = f"{description}\n\n{read}" if description else read
        parameters = {"type": "object", "properties": {INPUT: text}, "required": [INPUT]}
        return ToolDefinition(
            name=name,
            description=description or None,
            parameters={**parameters, "additionalProperties": False},
            strict=True,
            text_grammar=rules,
        )


def as_arguments(text: str) -> str:
    """Return the arguments of the function that stands for a custom tool with this input."""
    return json.dumps({INPUT: text}, ensure_ascii=False)


def input_of(arguments: str, *, is_cut: bool) -> str:
    """Return the input in whole arguments. is_cut: whether they are not whole."""
    reader = CustomInput()
    return reader.feed(arguments) + reader.end(is_cut=is_cut)


class CustomInput:
    """Reads the text of `{"input": "…"}` piece by piece."""

    def __init__(self) -> None:
        self._unread = ""
        self._is_open = False
        self._is_whole = False

    def feed(self, piece: str) -> str:
        """Return the text that is certain with this piece of the arguments."""
        if self._is_whole:
            return ""
        self._unread += piece
        if not self._is_open and not self._open():
            return ""
        certain = _CERTAIN.match(self._unread)
        assert certain is not None, "the expression matches nothing too"
        self._unread = self._unread[certain.end() :]
        self._is_whole = self._unread.startswith('"')
        return _text(certain[0])

    def end(self, *, is_cut: bool) -> str:
        """Return the text that no piece has given; arguments of another form are the text themselves.

        is_cut: whether the arguments are not whole.
        """
        if self._is_whole or is_cut:
            return ""
        if not self._is_open:
            return self._unread
        rest = _REST.match(self._unread)
        return _text(rest[0]) if rest else ""

    def _open(self) -> bool:
        opening = _OPENING.match(self._unread)
        if opening is not None:
            self._is_open = True
            self._unread = self._unread[opening.end() :]
        return self._is_open


def _text(escaped: str) -> str:
    """Return the text of a JSON string's inside; half a surrogate pair becomes U+FFFD."""
    try:
        text: str = json.loads(f'"{escaped}"', strict=False)
    except json.JSONDecodeError:  # an escape that JSON does not have
        return escaped
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
