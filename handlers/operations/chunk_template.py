"""JSON text of the plain chunks of a stream: to build and write a model for each token would cost more."""

from pydantic import BaseModel

from verbatim_kit.runtime.operation import EncodedEvent

_NO_CHOICES = b'"choices":[]'


class ChunkTemplate:
    """The text of a chunk of one choice, with places for what differs from chunk to chunk.

    Tests of each contract hold it to the text of the contract's own model.
    """

    def __init__(self, empty: BaseModel, choice: bytes) -> None:
        """Build the template.

        empty: a chunk without choices.
        choice: the choice's JSON text, with the places to fill written as for printf (`%d`, `%b`).
        """
        # Quotes are escaped inside of a JSON string, so no name of a model can look like the empty list.
        before, found, after = empty.model_dump_json().encode().partition(_NO_CHOICES)
        assert found, "a chunk without choices has an empty list of them"
        self._text = b'%b"choices":[%b]%b' % (_literal(before), choice, _literal(after))

    def fill(self, *values: int | bytes) -> EncodedEvent:
        """Return the chunk with these values in its places, text already as JSON."""
        return EncodedEvent(self._text % values)


def _literal(text: bytes) -> bytes:
    return text.replace(b"%", b"%%")
