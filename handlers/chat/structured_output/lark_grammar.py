"""Grammars in Lark's notation, as OpenAI's custom tools have them, in xgrammar's notation; pure.

A terminal makes characters, and a rule makes terminals. What a lexer would decide between terminals that
match the same text, such as their priorities, does not change which texts the grammar makes.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple, TypeAlias

import lark

from handlers.chat.errors import InvalidResponseFormat
from handlers.chat.tools import TextGrammar
from verbatim_kit.errors import Violation

_Ranges: TypeAlias = tuple[tuple[int, int], ...]  # of code points, first and last
_CLASSES: Final[dict[str, _Ranges]] = {
    "d": ((48, 57),),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "s": ((9, 13), (32, 32)),
}
_CONTROLS: Final = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "0": 0}
_JSON_ESCAPES: Final = {34: '"', 92: "\\", 8: "b", 9: "t", 10: "n", 12: "f", 13: "r"}
_COUNT: Final = re.compile(r"\{(\d{1,4})(,?)(\d{0,4})\}")
_HEX: Final = re.compile(r"x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}")
_LAST: Final = 0x10FFFF


class _Set(NamedTuple):
    """One character of these ranges."""

    ranges: _Ranges


class _Name(NamedTuple):
    """A text of the rule or terminal of this name."""

    name: str


class _Sequence(NamedTuple):
    parts: "tuple[_Node, ...]"


class _Either(NamedTuple):
    parts: "tuple[_Node, ...]"


class _Repeated(NamedTuple):
    """The part as often as this; `most` None is without end."""

    part: "_Node"
    least: int
    most: int | None


_Node: TypeAlias = _Set | _Name | _Sequence | _Either | _Repeated


class _Unsupported(Exception):
    """The grammar has something that cannot be enforced."""


def text_grammar(source: str, field: str) -> TextGrammar:
    """Return the grammar of the texts that a Lark grammar makes from its rule `start`.

    Raises InvalidResponseFormat, which names `field`, for what is no Lark grammar, and for what xgrammar's
    notation has no counterpart for: templates, lookaround, anchors, and imports from other than `common`.
    """
    try:
        rules = _needed(*_defined(source))
        return TextGrammar(_written(rules, is_json=False), _written(rules, is_json=True))
    except RecursionError:
        reason = "it is nested too deeply"
    except (lark.exceptions.LarkError, _Unsupported) as error:
        reason = str(error).strip().split("\n")[0]
    message = f"the Lark grammar cannot be enforced: {reason}"
    raise InvalidResponseFormat(message, field, Violation.UNSUPPORTED_VALUE)


@cache
def _notation() -> lark.Lark:
    """Return the parser of Lark's own notation, whose grammar the package has."""
    return lark.Lark.open_from_package("lark", "lark.lark", ("grammars",), parser="lalr")


@cache
def _common() -> dict[str, Any]:
    """Return the terminals that grammars import from `common`, as trees."""
    source = files("lark").joinpath("grammars", "common.lark").read_text()
    return _defined(source)[0]


def _defined(source: str) -> tuple[dict[str, Any], list[Any]]:
    """Return the trees of a grammar's rules and terminals by name, and those of what it ignores."""
    defined: dict[str, Any] = {}
    ignored: list[Any] = []
    items: list[Any] = list(_notation().parse(source).children)
    for item in items:
        match item:
            case lark.Tree(data="rule" | "token", children=[name, parameters, *_, body]):
                if parameters.children[0] is not None:
                    raise _Unsupported("templates are not supported")
                defined[str(name).lstrip("!?")] = body
            case lark.Tree(data="ignore", children=[body]):
                ignored.append(body)
            case lark.Tree(data="import", children=[path, alias]):
                *_, name = imported = _names_in(path)
                _check_import(imported)
                defined = _common() | defined | {(_names_in(alias) if alias else [name])[0]: _common()[name]}
            case lark.Tree(data="multi_import", children=[path, names]):
                for name in _names_in(names):
                    _check_import([*_names_in(path), name])
                defined = _common() | defined
            case lark.Tree(data=kind):
                raise _Unsupported(f"%{kind.removesuffix('_rule')} is not supported")
    return defined, ignored


def _names_in(tree: Any) -> list[str]:
    return [str(token) for token in tree.scan_values(lambda token: token.type in ("RULE", "TOKEN"))]


def _check_import(path: Sequence[str]) -> None:
    if len(path) != 2 or path[0] != "common" or path[1] not in _common():
        raise _Unsupported(f"{'.'.join(path)} cannot be imported, only terminals of common")


def _needed(defined: dict[str, Any], ignored: Sequence[Any]) -> dict[str, _Node]:
    """Return what `start` and the names that it leads to make."""
    between = _Repeated(_Either(tuple(_node(tree, None) for tree in ignored)), 0, None) if ignored else None
    needed: dict[str, _Node] = {}
    waiting = ["start", *(_names_of(between) if between else ())]
    while waiting:
        name = waiting.pop()
        if name not in defined:
            raise _Unsupported(f"it has no rule or terminal '{name}'")
        if name not in needed:
            needed[name] = _node(defined[name], between if name.islower() else None)
            waiting += _names_of(needed[name])
    if between:
        needed["start"] = _Sequence((between, needed["start"]))
    return needed


def _names_of(node: _Node) -> Iterator[str]:
    match node:
        case _Name(name):
            yield name
        case _Sequence(parts) | _Either(parts):
            for part in parts:
                yield from _names_of(part)
        case _Repeated(part):
            yield from _names_of(part)


def _node(tree: Any, between: _Node | None) -> _Node:
    """Return what a tree makes. between: what may follow each terminal, in a rule; None in a terminal."""
    parts = [part for part in tree.children if part is not None]
    match tree.data:
        case "expansions":
            return _Either(tuple(_node(part, between) for part in parts))
        case "expansion":
            return _Sequence(tuple(_node(part, between) for part in parts))
        case "alias":
            return _node(parts[0], between)
        case "maybe":
            return _Repeated(_node(parts[0], between), 0, 1)
        case "expr":
            return _counted(_node(parts[0], between), [str(part) for part in parts[1:]])
        case "name" if str(parts[0]).lstrip("!?").islower():
            return _Name(str(parts[0]).lstrip("!?"))
        case "name":
            made: _Node = _Name(str(parts[0]))
        case "literal":
            made = _literal(str(parts[0]))
        case "literal_range":
            first, last = (_string(str(part)) for part in parts)
            made = _Set(((ord(first), ord(last)),))
        case kind:
            raise _Unsupported(f"{kind} is not supported".replace("_", " "))
    return _Sequence((made, between)) if between else made


def _counted(node: _Node, written: Sequence[str]) -> _Node:
    match written:
        case []:
            return node
        case ["?"]:
            return _Repeated(node, 0, 1)
        case ["*" | "+" as sign]:
            return _Repeated(node, int(sign == "+"), None)
        case _:
            return _Repeated(node, int(written[0]), int(written[-1]))


def _string(written: str) -> str:
    """Return the text of a quoted string, which has Python's escapes."""
    return "".join(map(chr, _Regex(written[1:-1].replace('\\"', '"')).code_points()))


def _literal(written: str) -> _Node:
    if written.startswith("/"):
        pattern, _, flags = written[1:].rpartition("/")
        if set(flags) - set("is"):
            raise _Unsupported(f"the flags of {written} are not supported")
        return _Regex(pattern.replace("\\/", "/"), **{f"is_{flag}": True for flag in flags}).whole()
    ignores_case = written.endswith("i")
    text = _string(written.removesuffix("i"))
    return _Sequence(tuple(_character(ord(one), ignores_case=ignores_case) for one in text))


def _character(code: int, *, ignores_case: bool) -> _Set:
    forms = {code, *(ord(form) for form in (chr(code).lower(), chr(code).upper()) if len(form) == 1)}
    return _Set(tuple((form, form) for form in sorted(forms if ignores_case else {code})))


class _Regex:
    """The reader of a regular expression, which has Python's syntax."""

    def __init__(self, pattern: str, *, is_i: bool = False, is_s: bool = False) -> None:
        self._pattern = pattern
        self._at = 0
        self._ignores_case = is_i
        self._dot_is_all = is_s

    def whole(self) -> _Node:
        node = self._alternatives()
        if self._at < len(self._pattern):
            raise self._unsupported()
        return node

    def code_points(self) -> Iterator[int]:
        """Yield the characters of a pattern that is a text with escapes."""
        while self._at < len(self._pattern):
            character = self._take()
            yield self._escaped() if character == "\\" else ord(character)

    def _take(self) -> str:
        if self._at == len(self._pattern):
            raise self._unsupported()
        self._at += 1
        return self._pattern[self._at - 1]

    def _takes(self, text: str) -> bool:
        found = self._pattern.startswith(text, self._at)
        self._at += len(text) if found else 0
        return found

    def _unsupported(self) -> _Unsupported:
        return _Unsupported(f"character {self._at} of /{self._pattern}/ is not supported")

    def _alternatives(self) -> _Node:
        parts = [self._sequence()]
        while self._takes("|"):
            parts.append(self._sequence())
        return _Either(tuple(parts))

    def _sequence(self) -> _Node:
        parts: list[_Node] = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            part = self._atom()
            if count := _COUNT.match(self._pattern, self._at):
                self._at = count.end()
                most = count[3] or (None if count[2] else count[1])
                part = _Repeated(part, int(count[1]), None if most is None else int(most))
            elif self._at < len(self._pattern) and self._pattern[self._at] in "*+?":
                part = _counted(part, [self._take()])
            else:
                parts.append(part)
                continue
            self._takes("?")  # how much is matched first does not change what can be
            parts.append(part)
        return _Sequence(tuple(parts))

    def _atom(self) -> _Node:
        character = self._take()
        match character:
            case "(":
                if self._takes("?") and not self._takes(":"):
                    raise self._unsupported()
                inner = self._alternatives()
                if self._take() != ")":
                    raise self._unsupported()
                return inner
            case "[":
                return self._class()
            case ".":
                return _Set(_complement(()) if self._dot_is_all else _complement(((10, 10),)))
            case "\\":
                return self._escape()
            case "^" | "$" | "*" | "+" | "?":
                raise self._unsupported()
        return _character(ord(character), ignores_case=self._ignores_case)

    def _escape(self) -> _Set:
        letter = self._pattern[self._at : self._at + 1]
        if letter.lower() in _CLASSES:
            self._take()
            ranges = _CLASSES[letter.lower()]
            return _Set(ranges if letter.islower() else _complement(ranges))
        return _character(self._escaped(), ignores_case=self._ignores_case)

    def _escaped(self) -> int:
        if found := _HEX.match(self._pattern, self._at):
            self._at = found.end()
            return int(found[0][1:], 16)
        letter = self._take()
        if letter.isalnum() and letter not in _CONTROLS:
            raise self._unsupported()
        return _CONTROLS.get(letter, ord(letter))

    def _class(self) -> _Set:
        is_negated = self._takes("^")
        ranges: list[tuple[int, int]] = []
        while not (self._takes("]") and ranges):
            first = self._member()
            is_range = self._pattern.startswith("-", self._at) and not self._pattern.startswith(
                "-]", self._at
            )
            if is_range and len(first) == 1:
                self._take()
                first = ((first[0][0], self._member()[0][1]),)
            ranges += first
        if self._ignores_case:
            ranges += [(ord(other), ord(other)) for other in _other_cases(ranges)]
        return _Set(_complement(ranges) if is_negated else tuple(ranges))

    def _member(self) -> _Ranges:
        character = self._take()
        return self._escape().ranges if character == "\\" else ((ord(character), ord(character)),)


def _other_cases(ranges: Iterable[tuple[int, int]]) -> Iterator[str]:
    for first, last in ranges:
        yield from (chr(code).swapcase() for code in range(first, min(last, 127) + 1) if chr(code).isalpha())


def _complement(ranges: Iterable[tuple[int, int]]) -> _Ranges:
    """Return all other characters, without surrogates, which are none."""
    others: list[tuple[int, int]] = []
    start = 0
    for first, last in sorted([*ranges, (0xD800, 0xDFFF), (_LAST + 1, _LAST + 1)]):
        if first > start:
            others.append((start, first - 1))
        start = max(start, last + 1)
    return tuple(others)


def _written(rules: dict[str, _Node], *, is_json: bool) -> str:
    lines = [f"root ::= {_rule_name('start')}"]
    lines += [f"{_rule_name(name)} ::= {_text(node, is_json=is_json)}" for name, node in rules.items()]
    return "\n".join(lines)


def _rule_name(name: str) -> str:
    """Return a name that differs from that of a terminal in more than case."""
    return ("rule_" if name.islower() else "token_") + name.lower()


def _text(node: _Node, *, is_json: bool) -> str:
    match node:
        case _Name(name):
            return _rule_name(name)
        case _Set(ranges):
            return _set_text(ranges, is_json=is_json)
        case _Sequence(parts):
            return "(" + " ".join(_text(part, is_json=is_json) for part in parts) + ")" if parts else '""'
        case _Either(parts):
            return "(" + " | ".join(_text(part, is_json=is_json) for part in parts) + ")"
        case _Repeated(part, least, most):
            signs = {(0, 1): "?", (0, None): "*", (1, None): "+"}
            count = f"{{{least},{'' if most is None else most}}}"
            return f"({_text(part, is_json=is_json)}){signs.get((least, most), count)}"


def _set_text(ranges: _Ranges, *, is_json: bool) -> str:
    if not is_json:
        return _class_text(ranges)
    special = [code for code in (*range(32), 34, 92) if any(first <= code <= last for first, last in ranges)]
    others = _complement((*_complement(ranges), (0, 31), (34, 34), (92, 92)))
    escapes = [_json_escape(code) for code in special]
    return "(" + " | ".join([*([_class_text(others)] if others else []), *escapes]) + ")"


def _json_escape(code: int) -> str:
    """Return the literal of a character as a JSON string has it."""
    escape = _JSON_ESCAPES.get(code, f"u{code:04x}")
    return '"\\\\' + escape.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _class_text(ranges: _Ranges) -> str:
    return "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges) + "]"
