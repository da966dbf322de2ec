"""What all operations of the contract share."""

from contextlib import AbstractContextManager

from handlers.chat.core import ChatCore
from handlers.engine import Engine
from handlers.limits import ConcurrencyLimit
from handlers.settings import Settings
from handlers.tgi.exchange import Exchange, Exchanges
from handlers.tgi.headers import Headers, compute_headers
from handlers.tgi.limits import Limits
from handlers.tgi.metrics import Metrics
from handlers.workers import Workers


class Service:
    """One served model under this contract. model: what answers call it."""

    def __init__(
        self, engine: Engine, chat: ChatCore, settings: Settings, limit: ConcurrencyLimit, workers: Workers
    ) -> None:
        self.engine = engine
        self.chat = chat
        self.settings = settings
        self.workers = workers
        self.tokenizer = engine.tokenizer
        self.model = settings.model_name
        self.limits = Limits.of(settings, engine.model_info)
        self.metrics = Metrics(engine.model_info, engine.stats)
        self._compute_type = settings.compute_type or engine.model_info.device
        self._exchanges = Exchanges(engine, limit, self.metrics)

    def exchange(self, received_s: float) -> AbstractContextManager[Exchange]:
        """As `Exchanges.open`."""
        return self._exchanges.open(received_s)

    def compute_headers(self, *prompts: str) -> Headers:
        """prompts: as the model gets them, templates rendered."""
        return compute_headers(self._compute_type, sum(map(len, prompts)))
