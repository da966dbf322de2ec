"""The check that an answer is what a row of the table of bounds says must happen."""

from handlers.conform.bounds.boundaries import Row, Verdict
from handlers.conform.client import Answer

_TOO_LONG = 413  # of an array with more items than are allowed
_BUSY = (429, 503, 529)  # there was no room; the request may be as good as any


def deviation(row: Row, answer: Answer) -> str | None:
    """Return a sentence that says what happened instead; None if all is well.

    Whether the answer is what the document declares for its status is for the judge to say.
    """
    status, refusal = answer.status, row.endpoint.validation_status
    if status >= 500 and status not in _BUSY:
        return f"The server failed with {status}"
    if row.verdict is Verdict.ACCEPTED and status == refusal:
        return f"It was refused with {status}; the document allows it"
    if row.verdict is Verdict.REFUSED and status not in (refusal, _TOO_LONG, *_BUSY):
        return f"It was answered with {status}; the document asks for {refusal}"
    if row.verdict is Verdict.REFUSED and status == refusal and not row.is_named_in(answer.text):
        return f"The error does not say which field is wrong: {row.field}"
    return None
