"""The kinds of failed requests that metrics count."""

import asyncio
from typing import Literal

from engine.port.errors import InvalidRequest, NoTokenLeft
from handlers.access.keys.key_check import RateLimited
from handlers.active_requests.active_request import IncompleteGeneration
from handlers.chat.errors import TemplateError
from handlers.concurrency.limit import Overloaded
from verbatim_kit.errors import Refused
from verbatim_kit.runtime.problem import Problem

Failure = Literal["validation", "overloaded", "incomplete", "template", "generation", "dropped"]

# The first class that an exception is an instance of counts.
_FAILURES: dict[type[BaseException], Failure] = {
    asyncio.CancelledError: "dropped",
    GeneratorExit: "dropped",
    Overloaded: "overloaded",
    RateLimited: "overloaded",
    IncompleteGeneration: "incomplete",
    TemplateError: "template",
    InvalidRequest: "validation",
    NoTokenLeft: "validation",
    Refused: "validation",
}


def failure_of(error: BaseException) -> Failure:
    """Return the kind of an error: "generation" unless it is the request's own fault."""
    for cause, failure in _FAILURES.items():
        if isinstance(error, cause):
            return failure
    return "validation" if isinstance(error, Problem) and error.status < 500 else "generation"
