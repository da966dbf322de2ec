"""The base of everything that an answer consists of."""

from typing import Any

from pydantic import BaseModel


class AnswerPart(BaseModel):
    """A part of an answer. A member that the server left out reads as its default, or as None."""

    def to_request(self) -> Any:
        """The members that the server sent, as JSON data, to be sent back in a later request."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)
