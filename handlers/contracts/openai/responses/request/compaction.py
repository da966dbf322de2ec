"""The encoding of summaries in compaction items: base64 of the text, which whoever has the item can read.

It protects nothing. What a client sends in one counts as its own words, as any other item of an input.
"""

from base64 import b64decode, urlsafe_b64encode
from typing import Final

from verbatim_kit.errors import Refused, Violation

SUMMARY: Final = "Summary of the conversation until here:\n{}"
ASK: Final = (
    "Summarize this conversation for yourself, to go on with it from the summary alone. Keep names, numbers, "
    "decisions, results of tools, and what is still to be done."
)
_MARK: Final = "verbatim."


def write_summary(summary: str) -> str:
    """Return the content of a compaction item."""
    return _MARK + urlsafe_b64encode(summary.encode()).decode()


def read_summary(content: str, field: str) -> str:
    """Return the summary of a compaction item. Raises Refused for one that this server did not make."""
    try:
        if content.startswith(_MARK):
            return b64decode(content.removeprefix(_MARK), altchars=b"-_", validate=True).decode()
    except ValueError:
        pass
    reason = "Only the server that made a compaction can read it; send the items that it stands for."
    raise Refused(reason, field, Violation.UNSUPPORTED_VALUE)
