"""The settings of transcriptions."""

from typing import Annotated

from handlers.shared_settings.kinds import Duration, env
from handlers.shared_settings.section import Section


class TranscriptionSettings(Section):
    """The bounds of sounds that are written down."""

    max_transcription_seconds: Annotated[Duration, env("VERBATIM_MAX_TRANSCRIPTION_SECONDS")] = 3600.0
    """Length in seconds of a sound to transcribe."""
