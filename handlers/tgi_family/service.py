"""What all operations of a contract share."""

from handlers.faults.mapping import ToProblem
from handlers.service.exchange import Exchange
from handlers.service.shared import Shared
from handlers.tgi_family.headers import Headers, compute_headers
from handlers.tgi_family.limits import Limits


class Service:
    """One served model under a contract. model: what answers call it."""

    def __init__(self, shared: Shared, to_problem: ToProblem) -> None:
        """to_problem: as in `Exchanges.open`."""
        self.settings = shared.settings
        self.engine = shared.engine
        self.chat = shared.chat
        self.workers = shared.workers
        self.exchanges = shared.exchanges
        self.tokenizer = shared.engine.tokenizer
        self.model = shared.model_names.served
        self.limits = Limits.of(shared.settings, shared.engine.model_info)
        self.metrics = shared.metrics
        self._to_problem = to_problem
        self._compute_type = shared.settings.compute_type or shared.engine.model_info.device

    def exchange(self, received_s: float) -> Exchange:
        """As `Exchanges.open`."""
        return self.exchanges.open(received_s, self._to_problem)

    def compute_headers(self, *prompts: str) -> Headers:
        """prompts: as the model gets them, templates rendered."""
        return compute_headers(self._compute_type, sum(map(len, prompts)))
