"""A core that is ready to run, with what an engine says and reads in addition."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.engine_thread.stepped_core import SteppedCore
from engine.lora.registry import AdapterRegistry
from engine.media.encoder import LoadedMedia
from engine.port.info.model_info import ModelInfo
from engine.port.media_item import MediaProcessor
from engine.port.text.tokenizer import Tokenizer
from engine.speech.encoder import LoadedSpeech

CoreT_co = TypeVar("CoreT_co", bound=SteppedCore, covariant=True)


@dataclass(frozen=True)
class BuiltEngine(Generic[CoreT_co]):
    """A core with the model that it runs.

    adapters: those of the model; None for an engine that takes none, ever. media: the parts that read files
    for the model; None for a model that reads only text. speech: the parts of a model that transcribes;
    None for others.
    """

    core: CoreT_co
    tokenizer: Tokenizer
    info: ModelInfo
    adapters: AdapterRegistry | None = None
    media: LoadedMedia | None = None
    speech: LoadedSpeech | None = None

    @property
    def media_processor(self) -> MediaProcessor | None:
        """The processor of files for the model; None for a model that reads only text."""
        return None if self.media is None else self.media.processor
