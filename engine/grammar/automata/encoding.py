"""Automata of values as automata of their encodings: characters as JSON strings, texts as UTF-8."""

from collections.abc import Iterable

from engine.grammar.automata.automaton import Automaton, Work, escapes, explore, plain_spans
from engine.grammar.automata.net import Net

_TOO_LARGE = "its texts need too many states"

# The code points of one to four bytes; surrogates are none.
_UTF8_LENGTHS = ((0, 0x7F), (0x80, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x10FFFF))

_Bytes = tuple[tuple[int, int], ...]  # the first and the last value of each byte
_Rest = tuple[_Bytes, int]  # what is left of a character, and the state after it


def json_string(automaton: Automaton, work: Work) -> Automaton:
    """Return the smallest automaton of the JSON strings whose characters the automaton accepts.

    Characters are escaped where JSON needs it, so that there is one text for each string.
    """
    net = Net(_TOO_LARGE)
    start, end = net.node(), net.node()
    states = [net.node() for _ in automaton.arcs]
    net.arcs[start].append((ord('"'), ord('"'), states[0]))
    for state, arcs in zip(states, automaton.arcs, strict=True):
        for low, high, target in arcs:
            net.arcs[state] += [(*span, states[target]) for span in plain_spans(low, high)]
            for _, escape in escapes(low, high):
                net.jumps[net.text(state, escape)].append(states[target])
    for accepting in automaton.accepting:
        net.arcs[states[accepting]].append((ord('"'), ord('"'), end))
    return net.deterministic(frozenset({start}), lambda at: end in at, work).minimal(work)


def utf8(automaton: Automaton, work: Work) -> Automaton:
    """Return the smallest automaton of the bytes of the texts; its arcs read bytes in place of characters."""

    def follow(state: int | frozenset[_Rest]) -> Iterable[tuple[int, int, int | frozenset[_Rest]]]:
        rests = _characters(automaton, state) if isinstance(state, int) else state
        cuts = sorted({low for ((low, _), *_), _ in rests} | {high + 1 for ((_, high), *_), _ in rests})
        for low, after in zip(cuts, cuts[1:], strict=False):
            work.spend(len(rests))
            inner = frozenset((spans[1:], t) for spans, t in rests if spans[0][0] <= low <= spans[0][1])
            if inner:
                whole = [target for spans, target in inner if not spans]
                yield low, after - 1, whole[0] if whole else inner

    start: int | frozenset[_Rest] = 0
    return explore(start, follow, lambda at: at in automaton.accepting, work).minimal(work)


def _characters(automaton: Automaton, state: int) -> frozenset[_Rest]:
    return frozenset(
        (spans, target) for low, high, target in automaton.arcs[state] for spans in _utf8_spans(low, high)
    )


def _utf8_spans(low: int, high: int) -> Iterable[_Bytes]:
    """Yield spans of bytes that are together the encodings of the characters from `low` to `high`."""
    for first, last in _UTF8_LENGTHS:
        if low <= last and first <= high:
            yield from _aligned(max(low, first), min(high, last))


def _aligned(low: int, high: int) -> Iterable[_Bytes]:
    """Yield the spans of characters that have encodings of one length."""
    first, last = chr(low).encode(), chr(high).encode()
    for at in range(1, len(first)):
        mask = (1 << 6 * at) - 1  # of the characters that differ in the last `at` bytes alone
        if low | mask < high | mask:
            if low & mask:
                yield from _aligned(low, low | mask)
                yield from _aligned((low | mask) + 1, high)
                return
            if high & mask != mask:
                yield from _aligned(low, (high & ~mask) - 1)
                yield from _aligned(high & ~mask, high)
                return
    yield tuple(zip(first, last, strict=True))
