"""The text of a grammar in llguidance's Lark dialect, gathered piece by piece.

See https://github.com/guidance-ai/llguidance/blob/main/docs/syntax.md. A rule may hold itself; a terminal is
a regular expression, which may use `&` and `~`, and is what the lexer reads as one.
"""

import json
import re
from typing import Final

from engine.grammar.lark.byte_matcher import ByteMatcher
from engine.port.errors import InvalidGrammar

# Forced text is found in the masks; llguidance's own search for it has no bound.
_OPTIONS: Final = '%llguidance {"no_forcing": true}'
MAX_LENGTH: Final = 4_000_000  # characters of a whole grammar
MAX_UNIQUE_ARRAYS: Final = 16
# llguidance goes down from rule to rule, and ends the process where a thread's stack of 8 MB is too small for
# that, as at 3,000. Each optional property is a rule inside of that of the one before.
MAX_NESTING: Final = 2010

_LITERAL: Final = re.compile(r'"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)*/', re.DOTALL)
_TERMINAL: Final = re.compile(r"\bT[0-9]+\b")
_RULE: Final = re.compile(r"\br[0-9]+\b")


class LarkGrammar:
    """The rules and terminals of one grammar; those of the same body have one name, and a body that is a name
    has no other."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._names: dict[tuple[str, str], str] = {}
        self._terminals: dict[str, str] = {}  # their bodies, by their names
        self._nesting: dict[str, int] = {}  # how many rules are inside each other, by the outermost one
        self._num_names = 0
        self._length = 0
        self.unique_arrays: list[int] = []
        """The arrays whose items `engine.grammar.run_time` keeps different: for each, how many of its first
        items have values of their own."""

    def rule(self, body: str) -> str:
        """Return the name of a rule with this body."""
        return self._named("r", body)

    def terminal(self, body: str) -> str:
        """Return the name of a terminal with this body."""
        name = self._named("T", body)
        self._terminals.setdefault(name, body)
        return name

    def is_satisfiable(self, terminal: str) -> bool:
        """Return whether any text matches a terminal, by its name."""
        needed, waiting = dict[str, str](), [terminal]
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed[name] = self._terminals[name]
                waiting += _TERMINAL.findall(_without_literals(needed[name]))
        lines = [f"start: {terminal}", *(f"{name}: {body}" for name, body in needed.items()), ""]
        matcher = ByteMatcher("\n".join(lines))
        return matcher.is_whole or bool(matcher.next_bytes())

    def new_unique_array(self, num_prefix: int) -> str:
        """Return the number of one more of `unique_arrays`."""
        if len(self.unique_arrays) == MAX_UNIQUE_ARRAYS:
            raise InvalidGrammar(f"uniqueItems is supported of {MAX_UNIQUE_ARRAYS} arrays")
        self.unique_arrays.append(num_prefix)
        return str(len(self.unique_arrays) - 1)

    def new_rule(self) -> str:
        """Return the name of a rule that `define` gives its body later, since it may hold itself."""
        self._num_names += 1
        return f"r{self._num_names}"

    def define(self, name: str, body: str) -> None:
        """Give a rule of `new_rule` its body. Raises InvalidGrammar if the grammar becomes too long,
        or its rules are nested too deep."""
        self._length += len(body)
        if self._length > MAX_LENGTH:
            raise InvalidGrammar(f"with it, the grammar has more than {MAX_LENGTH} characters")
        inner = (self._nesting.get(rule, 0) for rule in _RULE.findall(_without_literals(body)))
        self._nesting[name] = 1 + max(inner, default=0)
        if self._nesting[name] > MAX_NESTING:
            raise InvalidGrammar(f"an object or array may have {MAX_NESTING} members with rules of their own")
        self._lines.append(f"{name}: {body}")

    def text(self, start: str) -> str:
        """Return the whole grammar. start: the body of its first rule."""
        return "\n".join([_OPTIONS, f"start: {start}", *self._lines, ""])

    def _named(self, kind: str, body: str) -> str:
        if body.isidentifier():
            return body
        if (known := self._names.get((kind, body))) is not None:
            return known
        self._num_names += 1
        self._names[kind, body] = name = f"{kind}{self._num_names}"
        self.define(name, body)
        return name


def _without_literals(body: str) -> str:
    return _LITERAL.sub("", body)


def literal(text: str) -> str:
    """Return the expression of one text."""
    return json.dumps(text).replace("\x7f", "\\u007f")  # which the reader of Lark does not take as it is
