"""The comparison of an answer with the verdict of a row of the table of bounds."""

from verbatim_kit.conform.bounds.boundaries import Row, Verdict
from verbatim_kit.conform.client import Answer

_TOO_LONG = 413  # an array with more items than are allowed
_BUSY = (429, 503, 529)  # the server is overloaded; the request may be valid


def deviation(row: Row, answer: Answer) -> str | None:
    """Return a sentence that describes the difference from the row's verdict; None without one.

    The judge checks the answer against the schema that the document declares for its status.
    """
    status, refusal = answer.status, row.endpoint.validation_status
    if status >= 500 and status not in _BUSY:
        return f"The server failed with {status}"
    if row.verdict is Verdict.ACCEPTED and status == refusal:
        return f"It was refused with {status}; the document allows it"
    if row.verdict is Verdict.REFUSED and status not in (refusal, _TOO_LONG, *_BUSY):
        return f"It was answered with {status}; the document requires {refusal}"
    if row.verdict is Verdict.REFUSED and status == refusal and not row.is_named_in(answer.text):
        return f"The error does not name the field that is wrong: {row.field}"
    return None
