"""The limit on texts, such as stop strings, that are searched for after each token."""

from collections.abc import Sequence

from engine.port.request import MAX_TEXT_CHARACTERS
from handlers.errors.refused import Refused
from handlers.errors.violation import Violation


def bounded_texts(texts: str | Sequence[str], field: str, *, subject: str | None = None) -> tuple[str, ...]:
    """Return the texts of a field, which is a list or a single text, as a tuple.

    subject: the beginning of the error message; the field's name by default.
    Raises Refused if the texts together have too many characters.
    """
    listed = (texts,) if isinstance(texts, str) else tuple(texts)
    if (given := sum(map(len, listed))) > MAX_TEXT_CHARACTERS:
        subject = f"`{field}` " if subject is None else subject
        raise Refused(
            f"{subject}must have at most {MAX_TEXT_CHARACTERS} characters. Given: {given}",
            field,
            Violation.TOO_LONG,
        )
    return listed
