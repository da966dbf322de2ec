"""The class of models that write down speech, which is imported where one is loaded."""

from typing import TYPE_CHECKING

from transformers import PreTrainedConfig

from engine.speech.description import transcribes

if TYPE_CHECKING:
    from engine.speech.speech_model import SpeechModel


def speech_class(config: PreTrainedConfig) -> "type[SpeechModel] | None":
    """Return the class of a model that writes down speech; None for any other model."""
    if not transcribes(config):
        return None
    # It imports transformers' modules of Whisper, which take a tenth of a second.
    from engine.speech.speech_model import SpeechModel

    return SpeechModel
