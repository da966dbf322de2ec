"""The end of parsing before a request is complete, and its answer."""

import logging

import httptools

from verbatim_kit.http.reading.early_answer import BAD_REQUEST, EarlyAnswer

_logger = logging.getLogger(__name__)


class StopParsing(Exception):
    """Nothing more of this connection may be parsed. Callbacks of the parser raise it, as do checks between
    its reads.

    answer: the client's; None if the connection is only closed.
    """

    def __init__(self, answer: EarlyAnswer | None) -> None:
        super().__init__()
        self.answer = answer


def answer_to(error: httptools.HttpParserError) -> EarlyAnswer | None:
    """Return the answer to a request that the parser gave up, or that a callback of it stopped."""
    cause = error.__context__  # httptools keeps there what a callback raised
    if isinstance(cause, StopParsing):
        return cause.answer
    if cause is not None and not isinstance(cause, httptools.HttpParserError):
        _logger.error("a request could not be parsed", exc_info=cause)
    return BAD_REQUEST
