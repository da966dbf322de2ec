"""The tool formats by kind: the first of each stands for the others where a test takes long."""

from typing import Final

import pytest

from handlers.chat.tool_calls.formats.registry import TOOL_FORMATS

FIRST_OF_KINDS: Final = tuple({type(known): known for known in reversed(TOOL_FORMATS)}.values())
BY_KIND: Final = [
    pytest.param(known, id=known.name, marks=() if known in FIRST_OF_KINDS else pytest.mark.long)
    for known in TOOL_FORMATS
]
