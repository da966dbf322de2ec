"""The ends of chunks that hold media: pure.

Tokens of one range of a medium see each other in both directions, so that no chunk may end within it. An
encoder computes a medium in the step that first needs its tokens, so that a step must not begin many.
"""

from collections.abc import Sequence

from engine.port.request import Media


def whole_end(media: Sequence[Media], start: int, end: int, *, may_exceed: bool) -> int:
    """Return the end of a chunk from `start` that cuts no range that sees itself, at or before `end` if
    possible.

    may_exceed: whether the chunk may reach beyond `end` where its first token lies in such a range. If not,
    such a chunk has no tokens: `start` is returned.
    """
    for one in media:
        for first, last in one.seen_together:
            range_start, range_end = one.position + first, one.position + last
            if range_start < end < range_end:
                if range_start > start:
                    return range_start
                return range_end if may_exceed else start
    return end


def encoded_end(
    media: Sequence[Media], start: int, end: int, *, num_begun: int, limit: int
) -> tuple[int, int]:
    """Return the end of a chunk, and the number of tokens of media that its step has then begun to compute.

    The chunk ends before a medium that begins in it and with which these would be more than `limit`; the
    first of a step may be larger. num_begun: the number of such tokens in the step's chunks before this one.
    """
    for one in media:
        if start <= one.position < end:
            if num_begun and num_begun + one.num_tokens > limit:
                return one.position, num_begun
            num_begun += one.num_tokens
    return end, num_begun
