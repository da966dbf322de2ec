"""The settings of MindIE's contract."""

from typing import Annotated

from handlers.shared_settings.kinds import env
from handlers.shared_settings.section import Section


class MindieSettings(Section):
    """The form of MindIE's streams."""

    mindie_full_text: Annotated[bool, env("VERBATIM_MINDIE_FULL_TEXT")] = False
    """Send the complete text so far in every chunk of MindIE's streams (its `fullTextEnabled`)."""
