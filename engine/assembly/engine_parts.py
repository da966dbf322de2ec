"""The parts from which an engine's core is built."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.core.runner import Runner
from engine.media.encoder import LoadedMedia
from engine.port.info.model_info import ModelInfo
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.sampler import Sampler
from engine.scheduling.scheduler import Scheduler
from engine.speculation.ngram_proposer import NgramProposer
from engine.speculation.speculator import Speculator
from engine.speech.encoder import LoadedSpeech

if TYPE_CHECKING:
    from engine.kv_events.publisher import KVEventPublisher


@dataclass(frozen=True)
class EngineParts:
    """A loaded model, and the parts from which its core is built.

    media, speech: as of `BuiltEngine`.
    """

    config: EngineConfig
    runner: Runner
    scheduler: Scheduler
    tokenizer: Tokenizer
    info: ModelInfo
    media: LoadedMedia | None
    speech: LoadedSpeech | None

    def core(
        self,
        runner: Runner | None = None,
        speculator: Speculator | None = None,
        publisher: "KVEventPublisher | None" = None,
        *,
        runs_ahead: bool | None = None,
    ) -> EngineCore:
        """Join the parts, once.

        runner: takes the place of the model's own, speculator that of `config`. publisher: is started.
        runs_ahead: as of `EngineCore`; None leaves it to the report.
        """
        if runs_ahead is None:
            runs_ahead = any(one.name == "launch_ahead" and one.in_use for one in self.info.kernels)
        if speculator is None and self.info.max_draft_tokens:
            speculator = Speculator(NgramProposer(), self.info.max_draft_tokens)
        if publisher is not None:
            assert self.scheduler.pool.cache.changes is not None
            publisher.start(self.scheduler.pool.cache.changes, self.config.block_size)
        return EngineCore(
            runner or self.runner,
            self.scheduler,
            Sampler(self.tokenizer),
            self.tokenizer,
            cache_tags=(("model", self.info.model_id), ("revision", self.info.revision or "")),
            jump_forward=self.config.jump_forward,
            speculator=speculator,
            publisher=publisher,
            runs_ahead=runs_ahead,
        )
