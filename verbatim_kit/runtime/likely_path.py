"""The paths that a client probably meant by one where nothing is served, since its base URL is wrong."""

from collections.abc import Iterable, Iterator
from itertools import combinations

_MAX_SEGMENTS = 8  # of a path that is looked at; a URL may have thousands


def likely_paths(path: str, bases: Iterable[str]) -> Iterator[str]:
    """Yield the path without segments that stand twice, as in /v1/v1 where a base URL is a whole address, and
    then the path, and what is left of it without its first segments, below each base.

    bases: prefixes such as "/v1" or "/tgi", the likeliest first; "" is the root.
    """
    segments = path.strip("/").split("/")
    if len(segments) > _MAX_SEGMENTS or not all(segments):
        return
    below = tuple(bases)
    for start, end in combinations(range(len(segments) + 1), 2):
        if segments[start:end] == segments[end : 2 * end - start]:
            yield f"{below[0]}/{'/'.join(segments[:start] + segments[end:])}"
    for start in range(len(segments)):
        rest = "/" + "/".join(segments[start:])
        yield from (base + rest for base in below)
