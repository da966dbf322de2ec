"""Nondeterministic automata: several arcs may read one character, and jumps read none."""

from collections.abc import Callable, Iterable

from engine.grammar.automata.automaton import LAST_CHARACTER, Arc, Automaton, Work, explore
from engine.port.errors import InvalidGrammar

MAX_NODES = 20_000


class Net:
    """Nodes with arcs and jumps between them.

    Arcs may read code points above LAST_CHARACTER too, which no text has; `deterministic` leaves those out.
    """

    def __init__(self, too_large: str) -> None:
        """Begin without nodes. too_large: the message of the error if there are more than MAX_NODES."""
        self.arcs: list[list[Arc]] = []
        self.jumps: list[list[int]] = []
        self._too_large = too_large

    def node(self) -> int:
        """Return a new node. Raises InvalidGrammar if there are too many."""
        if len(self.arcs) >= MAX_NODES:
            raise InvalidGrammar(self._too_large)
        self.arcs.append([])
        self.jumps.append([])
        return len(self.arcs) - 1

    def after(self, start: int) -> int:
        """Return a new node behind `start`, so that an iteration shares none with what came before."""
        node = self.node()
        self.jumps[start].append(node)
        return node

    def text(self, start: int, text: str) -> int:
        """Add the characters of a text behind `start`; return the last node."""
        for character in text:
            end = self.node()
            self.arcs[start].append((ord(character), ord(character), end))
            start = end
        return start

    def automaton(self, start: int, automaton: Automaton) -> int:
        """Add the texts of an automaton behind `start`; return the last node."""
        nodes = [self.node() for _ in automaton.arcs]
        end = self.node()
        if nodes:
            self.jumps[start].append(nodes[0])
        for node, arcs in zip(nodes, automaton.arcs, strict=True):
            self.arcs[node] += [(low, high, nodes[target]) for low, high, target in arcs]
        for state in automaton.accepting:
            self.jumps[nodes[state]].append(end)
        return end

    def closure(self, nodes: Iterable[int], work: Work) -> frozenset[int]:
        """Return the nodes with all that jumps lead to."""
        seen = set(nodes)
        waiting = list(seen)
        while waiting:
            jumps = self.jumps[waiting.pop()]
            work.spend(len(jumps))
            fresh = [node for node in jumps if node not in seen]
            seen.update(fresh)
            waiting += fresh
        return frozenset(seen)

    def reached(self, nodes: frozenset[int], code: int, work: Work) -> frozenset[int]:
        """Return the nodes after one code point."""
        arcs = (arc for node in nodes for arc in self.arcs[node])
        return self.closure({target for low, high, target in arcs if low <= code <= high}, work)

    def deterministic(
        self, start: frozenset[int], accepts: Callable[[frozenset[int]], bool], work: Work
    ) -> Automaton:
        """Return the deterministic automaton from the nodes of `start` on."""

        def follow(nodes: frozenset[int]) -> Iterable[tuple[int, int, frozenset[int]]]:
            arcs = [arc for node in nodes for arc in self.arcs[node] if arc[0] <= LAST_CHARACTER]
            cuts = sorted({low for low, _, _ in arcs} | {high + 1 for _, high, _ in arcs})
            for low, after in zip(cuts, cuts[1:], strict=False):
                work.spend(len(arcs))
                high = min(after - 1, LAST_CHARACTER)
                targets = {target for a, b, target in arcs if a <= low <= b}
                if targets and low <= high:
                    yield low, high, self.closure(targets, work)

        return explore(start, follow, accepts, work)
