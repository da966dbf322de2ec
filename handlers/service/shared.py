"""What all contracts share: one engine, and what stands between it and them."""

from dataclasses import dataclass

from handlers.chat.core import ChatCore
from handlers.concurrency.workers import Workers
from handlers.service.engine import Engine
from handlers.service.exchange import Exchanges
from handlers.service.metrics import Metrics
from handlers.service.model_names import ModelNames
from handlers.settings.settings import Settings


@dataclass(frozen=True)
class Shared:
    """One served model, before any contract gives it a form. metrics: of the requests of all contracts."""

    settings: Settings
    engine: Engine
    model_names: ModelNames
    chat: ChatCore
    workers: Workers
    exchanges: Exchanges
    metrics: Metrics
