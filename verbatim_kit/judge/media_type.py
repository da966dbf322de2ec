"""Media types with their parameters (RFC 9110, section 8.3)."""

from typing import NamedTuple

from typing_extensions import override


class MediaType(NamedTuple):
    """A media type such as `text/plain; charset=utf-8`. Names in lower case; parameters in their order."""

    name: str
    parameters: tuple[tuple[str, str], ...]

    def includes(self, sent: "MediaType") -> bool:
        """Return whether an answer of type `sent` is of this declared type.

        It must have the declared parameters, and may have no other but the charset UTF-8, which JSON and
        event streams have anyway (RFC 8259, section 8.1; HTML, section 9.2.6).
        """
        extra = set(sent.parameters) - set(self.parameters)
        is_whole = set(self.parameters) <= set(sent.parameters)
        return self.name == sent.name and is_whole and extra <= {("charset", "utf-8")}

    @property
    def is_json(self) -> bool:
        return self.name == "application/json" or self.name.endswith("+json")

    @override
    def __str__(self) -> str:
        return "; ".join([self.name, *("=".join(parameter) for parameter in self.parameters)])


def read_media_type(text: str) -> MediaType:
    """Return the media type of any text; the name is empty for an empty text."""
    name, *rest = (part.strip() for part in text.split(";"))
    pairs = (part.partition("=") for part in rest if part)
    parameters = tuple((key.strip().lower(), value.strip().strip('"').lower()) for key, _, value in pairs)
    return MediaType(name.lower(), parameters)
