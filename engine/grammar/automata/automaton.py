"""Deterministic automata over characters, and the rules of a grammar that they become."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from engine.port.errors import InvalidGrammar

MAX_STATES = 2000  # of one automaton
MAX_WORK = 400_000  # transitions looked at while one automaton is made
LAST_CHARACTER = 0x10FFFF

State = TypeVar("State", bound=Hashable)
Arc = tuple[int, int, int]  # first and last code point, and the state after them


class Work:
    """The bound on the time that automata take: it is used up by transitions."""

    def __init__(self, left: int = MAX_WORK) -> None:
        self._left = left

    def spend(self, num_arcs: int, num_states: int = 0) -> None:
        """Count transitions. Raises InvalidGrammar if the bound is exceeded."""
        self._left -= num_arcs + 1
        if self._left < 0 or num_states > MAX_STATES:
            raise InvalidGrammar(
                f"its restrictions need an automaton of more than {MAX_STATES} states, or too long to make"
            )


class Automaton:
    """A deterministic automaton that starts in state 0.

    arcs: of each state, disjoint and ascending; a character without one is not allowed there.
    """

    def __init__(self, arcs: list[list[Arc]], accepting: set[int]) -> None:
        self.arcs = arcs
        self.accepting = accepting

    def accepts(self, text: str) -> bool:
        """Return whether the text is one of the automaton's."""
        state: int | None = 0 if self.arcs else None
        for code in map(ord, text):
            if state is not None:
                state = next((target for low, high, target in self.arcs[state] if low <= code <= high), None)
        return state in self.accepting

    def intersection(self, other: "Automaton", work: Work) -> "Automaton":
        """Return the automaton of the texts that both accept."""

        def follow(pair: tuple[int, int]) -> Iterable[tuple[int, int, tuple[int, int]]]:
            for low, high, target in self.arcs[pair[0]]:
                for other_low, other_high, other_target in other.arcs[pair[1]]:
                    if low <= other_high and other_low <= high:
                        yield max(low, other_low), min(high, other_high), (target, other_target)

        return explore(
            (0, 0), follow, lambda pair: pair[0] in self.accepting and pair[1] in other.accepting, work
        )

    def complement(self) -> "Automaton":
        """Return the automaton of all other texts."""
        sink = len(self.arcs)
        arcs = [[*_filled(state, sink)] for state in [*self.arcs, []]]
        return Automaton(arcs, set(range(sink + 1)) - self.accepting)

    def with_length(self, low: int, high: int | None, work: Work) -> "Automaton":
        """Return the automaton of the texts of so many characters."""
        top = low if high is None else high

        def follow(at: tuple[int, int]) -> Iterable[tuple[int, int, tuple[int, int]]]:
            state, length = at
            if high is None or length < high:
                for first, last, target in self.arcs[state]:
                    yield first, last, (target, min(length + 1, top))

        return explore((0, 0), follow, lambda at: at[0] in self.accepting and at[1] >= low, work)

    def pruned(self) -> "Automaton":
        """Return the automaton without states from which no text can end; without states if none can."""
        live = self._live_states()
        if 0 not in live:
            return Automaton([], set())
        numbers = {state: number for number, state in enumerate(sorted(live))}
        arcs = [
            [(low, high, numbers[target]) for low, high, target in self.arcs[state] if target in live]
            for state in numbers
        ]
        return Automaton(arcs, {numbers[state] for state in self.accepting})

    def minimal(self, work: Work) -> "Automaton":
        """Return the smallest automaton of the same texts; without states if there are none."""
        live = self._live_states()
        if 0 not in live:
            return Automaton([], set())
        arcs = {state: [arc for arc in self.arcs[state] if arc[2] in live] for state in range(len(self.arcs))}
        block = {state: int(state in self.accepting) for state in live}
        num_blocks = 0
        while len(set(block.values())) > num_blocks:
            num_blocks = len(set(block.values()))
            signatures: dict[object, int] = {}
            renewed = {}
            for state in sorted(live):
                work.spend(len(arcs[state]))
                signature = block[state], tuple(_joined((a, b, block[t]) for a, b, t in arcs[state]))
                renewed[state] = signatures.setdefault(signature, len(signatures))
            block = renewed
        merged: list[list[Arc]] = [[] for _ in range(num_blocks)]
        for state in live:
            merged[block[state]] = [*_joined((a, b, block[t]) for a, b, t in arcs[state])]
        return Automaton(merged, {block[state] for state in live & self.accepting})

    def num_texts(self) -> list[int | None]:
        """Return the number of texts from each state on; None where there are infinitely many.

        The automaton has to be pruned or minimal.
        """
        sources: dict[int, list[int]] = {}
        for state, arcs in enumerate(self.arcs):
            for _, _, target in arcs:
                sources.setdefault(target, []).append(state)
        missing = [len(arcs) for arcs in self.arcs]
        counts: list[int | None] = [None] * len(self.arcs)  # states of and before cycles stay so
        waiting = [state for state, arcs in enumerate(self.arcs) if not arcs]
        while waiting:
            state = waiting.pop()
            counts[state] = int(state in self.accepting) + sum(
                (high - low + 1) * (counts[target] or 0) for low, high, target in self.arcs[state]
            )
            for source in sources.get(state, ()):
                missing[source] -= 1
                if not missing[source]:
                    waiting.append(source)
        return counts

    def _live_states(self) -> set[int]:
        """Return the states from which a text can end."""
        sources: dict[int, set[int]] = {}
        for state, arcs in enumerate(self.arcs):
            for _, _, target in arcs:
                sources.setdefault(target, set()).add(state)
        live, waiting = set(self.accepting), list(self.accepting)
        while waiting:
            for source in sources.get(waiting.pop(), ()):
                if source not in live:
                    live.add(source)
                    waiting.append(source)
        return live


def explore(
    start: State,
    follow: Callable[[State], Iterable[tuple[int, int, State]]],
    accepts: Callable[[State], bool],
    work: Work,
) -> Automaton:
    """Return the automaton of all states that can be reached from `start`, which gets the number 0.

    Raises InvalidGrammar where there are more than MAX_STATES.
    """
    numbers, waiting = {start: 0}, [start]
    arcs: list[list[Arc]] = []
    for state in waiting:
        own = []
        for low, high, target in follow(state):
            if target not in numbers:
                numbers[target] = len(numbers)
                waiting.append(target)
            own.append((low, high, numbers[target]))
        work.spend(len(own), len(numbers))
        arcs.append(sorted(own))
    return Automaton(arcs, {number for state, number in numbers.items() if accepts(state)})


def string_rules(automaton: Automaton, name: str) -> list[str]:
    """Return the EBNF rules, from `name` on, of a JSON string whose characters the automaton accepts."""
    rules = _character_rules(automaton, name, _json_terminals, '"\\""')
    return [f'{name} ::= "\\"" {name}_0', *rules]


def text_rules(automaton: Automaton, name: str) -> list[str]:
    """Return the EBNF rules, from `name` on, of the texts that the automaton accepts."""
    rules = _character_rules(automaton, name, lambda low, high: [_span(low, high)], '""')
    return [f"{name} ::= {name}_0", *rules]


def _character_rules(
    automaton: Automaton, name: str, terminals: Callable[[int, int], Iterable[str]], end: str
) -> list[str]:
    """Return the rules of the states, and one for each set of characters, which the states share."""
    names: dict[str, str] = {}
    states = []
    for arcs in automaton.arcs:
        by_target: dict[int, list[str]] = {}
        for low, high, target in arcs:
            by_target.setdefault(target, []).extend(terminals(low, high))
        states.append(
            [
                (names.setdefault(_choice(found), f"{name}_set{len(names)}"), target)
                for target, found in by_target.items()
                if found  # surrogates are no characters
            ]
        )
    sets = [f"{set_name} ::= {choice}" for choice, set_name in names.items()]
    return [*linear_rules(states, automaton.accepting, name, end), *sets]


def _choice(terminals: list[str]) -> str:
    """Return one EBNF choice of spans of characters, which become one class, and of literals."""
    spans = "".join(terminal[1:-1] for terminal in terminals if terminal[0] == "[")
    literals = [terminal for terminal in terminals if terminal[0] == '"']
    return " | ".join([*([f"[{spans}]"] if spans else []), *literals])


def json_choice(spans: Iterable[tuple[int, int]]) -> str:
    """Return one EBNF choice of these characters inside a JSON string."""
    return _choice([terminal for span in spans for terminal in _json_terminals(*span)])


def linear_rules(states: list[list[tuple[str, int]]], accepting: set[int], name: str, end: str) -> list[str]:
    """Return one EBNF rule a state. states: EBNF terminals, each with the state after it. end: the terminal
    that ends the text in an accepting state."""
    rules = []
    for number, arcs in enumerate(states):
        choices = [f"({terminal} {name}_{target})" for terminal, target in arcs]
        rules.append(f"{name}_{number} ::= {' | '.join([*choices, *([end] * (number in accepting))])}")
    return rules


def literal(text: str) -> str:
    """Return the EBNF terminal of a text."""
    return '"' + "".join(_code(ord(character)) for character in text) + '"'


def _filled(arcs: list[Arc], sink: int) -> Iterable[Arc]:
    """Yield the arcs, and one to `sink` for every character that has none."""
    at = 0
    for low, high, target in arcs:
        if at < low:
            yield at, low - 1, sink
        yield low, high, target
        at = high + 1
    if at <= LAST_CHARACTER:
        yield at, LAST_CHARACTER, sink


def _joined(arcs: Iterable[Arc]) -> list[Arc]:
    """Return ascending arcs with neighbours of one target made one."""
    joined: list[Arc] = []
    for low, high, target in arcs:
        if joined and joined[-1][2] == target and joined[-1][1] + 1 == low:
            joined[-1] = joined[-1][0], high, target
        else:
            joined.append((low, high, target))
    return joined


# The characters that stand in a JSON string as they are, and the letters of the others' escapes.
_PLAIN = ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0xD7FF), (0xE000, LAST_CHARACTER))
_ESCAPES = {8: "b", 9: "t", 10: "n", 12: "f", 13: "r", 0x22: '"', 0x5C: "\\"}


def _json_terminals(low: int, high: int) -> Iterable[str]:
    """Yield terminals for characters inside a JSON string: escaped where JSON needs it, else as they are."""
    yield from (_span(*span) for span in plain_spans(low, high))
    yield from (literal(escape) for _, escape in escapes(low, high))


def plain_spans(low: int, high: int) -> Iterable[tuple[int, int]]:
    """Yield the characters from `low` to `high` that stand in a JSON string as they are."""
    for first, last in _PLAIN:
        if low <= last and first <= high:
            yield max(low, first), min(high, last)


def escapes(low: int, high: int) -> Iterable[tuple[int, str]]:
    """Yield the other characters from `low` to `high`, each with its escape in a JSON string."""
    for code in (*range(0x20), 0x22, 0x5C):
        if low <= code <= high:
            yield code, "\\" + _ESCAPES.get(code, f"u{code:04x}")


def _span(low: int, high: int) -> str:
    return f"[{_code(low)}]" if low == high else f"[{_code(low)}-{_code(high)}]"


def _code(code: int) -> str:
    if chr(code).isascii() and chr(code).isalnum():
        return chr(code)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
