"""What all operations of the contract share."""

from handlers.service.exchange import Exchange
from handlers.service.shared import Shared
from handlers.triton.errors import to_problem
from handlers.triton.models import Models
from handlers.triton.statistics import StatisticsObserver


class Service:
    """One served model under this contract."""

    def __init__(self, shared: Shared) -> None:
        self.settings = shared.settings
        self.engine = shared.engine
        self.workers = shared.workers
        self.tokenizer = shared.engine.tokenizer
        self.max_total_tokens = shared.engine.model_info.max_total_tokens
        self.exchanges = shared.exchanges
        self.model = shared.model_names.served
        self.models = Models(shared.model_names)
        self.statistics = StatisticsObserver(shared.engine.stats)
        self.exchanges.observe(self.statistics)

    def exchange(self, received_s: float) -> Exchange:
        """As `Exchanges.open`."""
        return self.exchanges.open(received_s, to_problem)

    async def is_healthy(self) -> bool:
        return (await self.engine.health()).is_healthy
