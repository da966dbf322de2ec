"""The text of a grammar in llguidance's Lark dialect, gathered piece by piece.

See https://github.com/guidance-ai/llguidance/blob/main/docs/syntax.md. A rule may hold itself; a terminal is a
regular expression, which may use `&` and `~`, and is what the lexer reads as one.
"""

import json

from engine.port.errors import InvalidGrammar

MAX_LENGTH = 4_000_000  # characters of a whole grammar


class LarkGrammar:
    """The rules and terminals of one grammar; those of the same body have one name."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._names: dict[tuple[str, str], str] = {}
        self._num_names = 0
        self._length = 0

    def rule(self, body: str) -> str:
        """Return the name of a rule with this body."""
        return self._named("r", body)

    def terminal(self, body: str) -> str:
        """Return the name of a terminal with this body."""
        return self._named("T", body)

    def new_rule(self) -> str:
        """Return the name of a rule that `define` gives its body later, since it may hold itself."""
        self._num_names += 1
        return f"r{self._num_names}"

    def define(self, name: str, body: str) -> None:
        """Give a rule of `new_rule` its body. Raises InvalidGrammar if the grammar becomes too long."""
        self._length += len(body)
        if self._length > MAX_LENGTH:
            raise InvalidGrammar(f"with it, the grammar has more than {MAX_LENGTH} characters")
        self._lines.append(f"{name}: {body}")

    def text(self, start: str) -> str:
        """Return the whole grammar. start: the body of its first rule."""
        return "\n".join([f"start: {start}", *self._lines, ""])

    def _named(self, kind: str, body: str) -> str:
        if (known := self._names.get((kind, body))) is not None:
            return known
        self._num_names += 1
        self._names[kind, body] = name = f"{kind}{self._num_names}"
        self.define(name, body)
        return name


def literal(text: str) -> str:
    """Return the expression of one text."""
    return json.dumps(text, ensure_ascii=False)
