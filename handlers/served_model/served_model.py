"""The served model that all contracts share: the engine and the services around it."""

from dataclasses import dataclass
from functools import cached_property

from engine.port.engine import Engine
from engine.port.info.model_info import ModelInfo
from engine.port.text.infill import Infill
from engine.port.text.tokenizer import Tokenizer
from handlers.active_requests.active_request import ActiveRequests
from handlers.active_requests.metrics import Metrics
from handlers.chat.core import ChatCore
from handlers.concurrency.background_tasks import BackgroundTasks
from handlers.concurrency.workers import Workers
from handlers.media.preparation import MediaPreparation
from handlers.served_model.envelope import Envelope
from handlers.served_model.fingerprint import fingerprint
from handlers.served_model.model_names import ModelNames
from handlers.shared_settings.shared_settings import SharedSettings
from handlers.store.store import Store


@dataclass(frozen=True)
class ServedModel:
    """A served model and its services, shared by all contracts. metrics: counts of all their requests."""

    settings: SharedSettings
    engine: Engine
    model_names: ModelNames
    chat: ChatCore
    workers: Workers
    background: BackgroundTasks
    media: MediaPreparation
    active_requests: ActiveRequests
    metrics: Metrics
    store: Store | None
    """What requests leave for later ones; None for a server that stores nothing."""

    @cached_property
    def tokenizer(self) -> Tokenizer:
        return self.engine.tokenizer

    @cached_property
    def infill(self) -> Infill | None:
        """The format of fill-in-the-middle prompts; None if the model does not support them."""
        return Infill.of(self.tokenizer)

    @cached_property
    def model_info(self) -> ModelInfo:
        return self.engine.model_info

    @cached_property
    def fingerprint(self) -> str:
        """The `system_fingerprint`; if it is equal, equal seeds give equal answers."""
        return fingerprint(self.model_info)

    def envelope(self, prefix: str, own: str | None = None, adapter: str | None = None) -> Envelope:
        """Return the envelope of a new answer.

        prefix: the beginning of the answer's id. own: the rest of the id; random if None.
        adapter: the adapter that is named as the model; None for the model itself.
        """
        if own is None:
            return Envelope.new(adapter or self.model_names.served, prefix)
        return Envelope(model=adapter or self.model_names.served, id=f"{prefix}-{own}")
