"""JSON text of a model that is written once, and filled in for each answer."""

from collections.abc import Mapping

import orjson
from pydantic import BaseModel


class JsonForm:
    """A model's own text around a few values: to build and to write the model takes several times as long."""

    def __init__(self, sample: BaseModel, blanks: Mapping[bytes, str | int]) -> None:
        """Build the form.

        sample: an object like all others, but for the values of the blanks, which stand nowhere else in it.
        blanks: the values of the blanks by name; the sample may lack some.
        """
        text = sample.model_dump_json(by_alias=True).encode().replace(b"%", b"%%")
        for name, value in blanks.items():
            text = text.replace(orjson.dumps(value), b"%%(%b)b" % name)
        self._text = text

    def fill(self, values: Mapping[bytes, str | int]) -> bytes:
        """The text with these in the place of the blanks, by name."""
        return self._text % {name: orjson.dumps(value) for name, value in values.items()}
