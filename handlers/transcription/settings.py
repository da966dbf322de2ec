"""The settings of transcriptions."""

from typing import Annotated

from handlers.shared_settings.kinds import Duration, env
from handlers.shared_settings.section import Section


class TranscriptionSettings(Section):
    """The limits of audio to transcribe."""

    max_transcription_seconds: Annotated[Duration, env("VERBATIM_MAX_TRANSCRIPTION_SECONDS")] = 3600.0
    """Maximum length of audio to transcribe, in seconds."""
