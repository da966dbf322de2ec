"""The parts of a grammar that no finite text has, whatever the grammar is written in."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node")


def endless_nodes(needs: Mapping[Node, Sequence[Sequence[Node]]]) -> set[Node]:
    """Return the nodes without a finite text, in time in proportion to the grammar's length.

    needs: by node, groups of nodes. Its texts hold a text of one node of each group.
    """
    num_missing = {node: len(groups) for node, groups in needs.items()}
    users = defaultdict[Node, list[tuple[Node, int]]](list)
    for node, groups in needs.items():
        for at, group in enumerate(groups):
            for inner in group:
                users[inner].append((node, at))
    met = set[tuple[Node, int]]()
    waiting = [node for node, missing in num_missing.items() if not missing]
    while waiting:
        for user, at in users[waiting.pop()]:
            if (user, at) not in met:
                met.add((user, at))
                num_missing[user] -= 1
                if not num_missing[user]:
                    waiting.append(user)
    return {node for node, missing in num_missing.items() if missing}


def endless_circle(
    needs: Mapping[Node, Sequence[Sequence[Node]]], endless: set[Node], start: Node
) -> list[Node]:
    """Return the nodes of a circle, in order, that an endless node leads to through what it needs.

    needs, endless: as in `endless_nodes`.
    """
    path, node = dict[Node, int](), start
    while node not in path:
        path[node] = len(path)
        node = next(group for group in needs[node] if endless.issuperset(group))[0]
    return [*path][path[node] :]
