"""The contract's operations."""

from typing import Any, Final, final

from typing_extensions import override

from generated.triton import models as m
from generated.triton.operations import NoHeaders, Operations
from handlers.active_requests.admission import AdmissionControl
from handlers.contracts.triton.errors import NotReady, to_problem
from handlers.contracts.triton.generate.operation import Generate, ModelRequest
from handlers.contracts.triton.metadata import model_config, model_metadata, repository, server_metadata
from handlers.contracts.triton.models import Models
from handlers.contracts.triton.statistics import StatisticsObserver
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import mapped_errors
from verbatim_kit.runtime.operation import Call, EventStream, Operation

_PROBES: Final = frozenset({"model_ready", "model_version_ready"})
_GENERATES: Final = frozenset({"generate", "generate_stream", "generate_version", "generate_stream_version"})


@final
class TritonHandlers(AdmissionControl, Operations):
    """Answers every operation of the contract; the paths without a version mean the only one there is."""

    def __init__(self, shared: ServedModel) -> None:
        super().__init__(shared.active_requests, to_problem, _GENERATES)
        self._shared = shared
        self._models = Models(shared.model_names)
        self._statistics = StatisticsObserver(shared.engine.stats)
        shared.active_requests.observe(self._statistics)
        self._generate = Generate(shared)

    def look_up(self, operation: Operation, arguments: Any) -> None:
        """Refuse what is not there, before the body is read; probes of readiness report it themselves."""
        if arguments is not None and operation.handler not in _PROBES:
            with mapped_errors(to_problem):
                self._models.check(arguments)

    @override
    async def generate(
        self, arguments: m.GenerateArguments, body: m.GenerateRequest, call: Call[NoHeaders]
    ) -> m.GenerateResponse:
        return await self._generate.whole(ModelRequest(arguments.model_name, body), call)

    @override
    async def generate_version(
        self, arguments: m.GenerateVersionArguments, body: m.GenerateRequest, call: Call[NoHeaders]
    ) -> m.GenerateResponse:
        return await self._generate.whole(ModelRequest(arguments.model_name, body), call)

    @override
    async def generate_stream(
        self, arguments: m.GenerateStreamArguments, body: m.GenerateRequest, call: Call[NoHeaders]
    ) -> EventStream[m.GenerateEvent]:
        return self._generate.stream(ModelRequest(arguments.model_name, body), call)

    @override
    async def generate_stream_version(
        self, arguments: m.GenerateStreamVersionArguments, body: m.GenerateRequest, call: Call[NoHeaders]
    ) -> EventStream[m.GenerateEvent]:
        return self._generate.stream(ModelRequest(arguments.model_name, body), call)

    @override
    async def server_metadata(self, call: Call[NoHeaders]) -> m.ServerMetadata:
        return server_metadata()

    @override
    async def server_live(self, call: Call[NoHeaders]) -> None:
        with mapped_errors(to_problem):
            if not (await self._shared.engine.health()).is_alive:
                raise NotReady("Server not live")

    @override
    async def server_ready(self, call: Call[NoHeaders]) -> None:
        with mapped_errors(to_problem):
            if not await self._is_healthy():
                raise NotReady("Server not ready")

    @override
    async def model_ready(self, arguments: m.ModelReadyArguments, call: Call[NoHeaders]) -> None:
        await self._check_ready(arguments)

    @override
    async def model_version_ready(
        self, arguments: m.ModelVersionReadyArguments, call: Call[NoHeaders]
    ) -> None:
        await self._check_ready(arguments)

    @override
    async def repository_index(
        self, body: m.RepositoryIndexRequest | None, call: Call[NoHeaders]
    ) -> list[m.RepositoryModel]:
        is_ready = await self._is_healthy()
        only_ready = body is not None and body.ready
        return repository(self._shared.model_names.own, is_ready=is_ready, only_ready=only_ready)

    @override
    async def model_metadata(
        self, arguments: m.ModelMetadataArguments, call: Call[NoHeaders]
    ) -> m.ModelMetadata:
        return model_metadata(arguments.model_name, self._shared.engine.capabilities)

    @override
    async def model_version_metadata(
        self, arguments: m.ModelVersionMetadataArguments, call: Call[NoHeaders]
    ) -> m.ModelMetadata:
        return model_metadata(arguments.model_name, self._shared.engine.capabilities)

    @override
    async def model_config(self, arguments: m.ModelConfigArguments, call: Call[NoHeaders]) -> m.ModelConfig:
        return model_config(arguments.model_name, self._shared.engine.capabilities)

    @override
    async def model_version_config(
        self, arguments: m.ModelVersionConfigArguments, call: Call[NoHeaders]
    ) -> m.ModelConfig:
        return model_config(arguments.model_name, self._shared.engine.capabilities)

    @override
    async def statistics(self, call: Call[NoHeaders]) -> m.Statistics:
        return self._statistics.report(self._shared.model_names.served)

    @override
    async def model_statistics(
        self, arguments: m.ModelStatisticsArguments, call: Call[NoHeaders]
    ) -> m.Statistics:
        return self._statistics.report(arguments.model_name)

    @override
    async def model_version_statistics(
        self, arguments: m.ModelVersionStatisticsArguments, call: Call[NoHeaders]
    ) -> m.Statistics:
        return self._statistics.report(arguments.model_name)

    async def _check_ready(self, arguments: Any) -> None:
        is_healthy = await self._is_healthy()
        with mapped_errors(to_problem):
            self._models.check_ready(arguments, is_healthy=is_healthy)

    async def _is_healthy(self) -> bool:
        return (await self._shared.engine.health()).is_healthy
