"""The bound of texts that are looked for at each token of an answer."""

from collections.abc import Sequence

from engine.port.request import MAX_TEXT_CHARACTERS
from handlers.errors.refused import Refused
from handlers.errors.violation import Violation


def bounded_texts(texts: str | Sequence[str], field: str, *, subject: str | None = None) -> tuple[str, ...]:
    """Return the texts of a field, of which one may stand alone.

    subject: the first words of the message, in place of the field's name.
    Raises Refused where the texts have too many characters together.
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
