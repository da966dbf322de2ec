# Generated from specs/triton: mend the document or its overlay, never this file.
"""Triton Inference Server, HTTP protocol with the generate extension 2.73.0: its operations, and the interface that its handlers implement."""

from abc import abstractmethod
from typing import ClassVar, Final, TypedDict

from verbatim_kit.runtime.operation import (
    Answer,
    Call,
    EventStream,
    Handlers,
    Operation,
    Parameter,
)

from . import models as m


class NoHeaders(TypedDict):
    """The document declares no header for the answer."""


OPERATIONS: Final = (
    Operation(
        id="serverMetadata",
        handler="server_metadata",
        method="GET",
        path="/v2",
        summary="Tell the server's name, version and extensions",
        response=m.ServerMetadata,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            500: m.ErrorResponse,
        },
    ),
    Operation(
        id="serverLive",
        handler="server_live",
        method="GET",
        path="/v2/health/live",
        summary="Tell whether the server answers",
        errors={
            400: m.ErrorResponse,
            500: m.ErrorResponse,
        },
    ),
    Operation(
        id="serverReady",
        handler="server_ready",
        method="GET",
        path="/v2/health/ready",
        summary="Tell whether all models take requests",
        errors={
            400: m.ErrorResponse,
            500: m.ErrorResponse,
        },
    ),
    Operation(
        id="repositoryIndex",
        handler="repository_index",
        method="POST",
        path="/v2/repository/index",
        summary="List the models",
        body=m.RepositoryIndexRequest,
        is_body_required=False,
        reads_any_media_type=True,
        response=list[m.RepositoryModel],
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            500: m.ErrorResponse,
        },
        validation_status=400,
    ),
    Operation(
        id="statistics",
        handler="statistics",
        method="GET",
        path="/v2/models/stats",
        summary="Tell what all models did",
        response=m.Statistics,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            500: m.ErrorResponse,
        },
    ),
    Operation(
        id="generateVersion",
        handler="generate_version",
        method="POST",
        path="/v2/models/{model_name:path}/versions/{model_version}/generate",
        summary="Generate with one version of a model, and answer when the text is complete",
        parameters=(
            Parameter("model_name", "path", is_text=True),
            Parameter("model_version", "path", is_text=True),
        ),
        arguments=m.GenerateVersionArguments,
        body=m.GenerateRequest,
        reads_any_media_type=True,
        response=m.GenerateResponse,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            500: m.ErrorResponse,
            503: m.ErrorResponse,
            404: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="generateStreamVersion",
        handler="generate_stream_version",
        method="POST",
        path="/v2/models/{model_name:path}/versions/{model_version}/generate_stream",
        summary="Generate with one version of a model, and answer with server-sent events",
        parameters=(
            Parameter("model_name", "path", is_text=True),
            Parameter("model_version", "path", is_text=True),
        ),
        arguments=m.GenerateStreamVersionArguments,
        body=m.GenerateRequest,
        reads_any_media_type=True,
        event=m.GenerateEvent,
        event_media_type="text/event-stream; charset=utf-8",
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            500: m.ErrorResponse,
            503: m.ErrorResponse,
            404: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="modelVersionReady",
        handler="model_version_ready",
        method="GET",
        path="/v2/models/{model_name:path}/versions/{model_version}/ready",
        summary="Tell whether one version of a model takes requests",
        parameters=(
            Parameter("model_name", "path", is_text=True),
            Parameter("model_version", "path", is_text=True),
        ),
        arguments=m.ModelVersionReadyArguments,
        errors={
            400: m.ErrorResponse,
            500: m.ErrorResponse,
            404: m.ErrorResponse,
        },
        validation_status=400,
    ),
    Operation(
        id="modelVersionConfig",
        handler="model_version_config",
        method="GET",
        path="/v2/models/{model_name:path}/versions/{model_version}/config",
        summary="Tell how one version of a model is configured",
        parameters=(
            Parameter("model_name", "path", is_text=True),
            Parameter("model_version", "path", is_text=True),
        ),
        arguments=m.ModelVersionConfigArguments,
        response=m.ModelConfig,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            500: m.ErrorResponse,
            404: m.ErrorResponse,
        },
        validation_status=400,
    ),
    Operation(
        id="modelVersionStatistics",
        handler="model_version_statistics",
        method="GET",
        path="/v2/models/{model_name:path}/versions/{model_version}/stats",
        summary="Tell what one version of a model did",
        parameters=(
            Parameter("model_name", "path", is_text=True),
            Parameter("model_version", "path", is_text=True),
        ),
        arguments=m.ModelVersionStatisticsArguments,
        response=m.Statistics,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            500: m.ErrorResponse,
            404: m.ErrorResponse,
        },
        validation_status=400,
    ),
    Operation(
        id="modelVersionMetadata",
        handler="model_version_metadata",
        method="GET",
        path="/v2/models/{model_name:path}/versions/{model_version}",
        summary="Tell what one version of a model takes and gives",
        parameters=(
            Parameter("model_name", "path", is_text=True),
            Parameter("model_version", "path", is_text=True),
        ),
        arguments=m.ModelVersionMetadataArguments,
        response=m.ModelMetadata,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            500: m.ErrorResponse,
            404: m.ErrorResponse,
        },
        validation_status=400,
    ),
    Operation(
        id="generate",
        handler="generate",
        method="POST",
        path="/v2/models/{model_name:path}/generate",
        summary="Generate, and answer when the text is complete",
        parameters=(Parameter("model_name", "path", is_text=True),),
        arguments=m.GenerateArguments,
        body=m.GenerateRequest,
        reads_any_media_type=True,
        response=m.GenerateResponse,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="generateStream",
        handler="generate_stream",
        method="POST",
        path="/v2/models/{model_name:path}/generate_stream",
        summary="Generate, and answer with server-sent events",
        parameters=(Parameter("model_name", "path", is_text=True),),
        arguments=m.GenerateStreamArguments,
        body=m.GenerateRequest,
        reads_any_media_type=True,
        event=m.GenerateEvent,
        event_media_type="text/event-stream; charset=utf-8",
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="modelReady",
        handler="model_ready",
        method="GET",
        path="/v2/models/{model_name:path}/ready",
        summary="Tell whether a model takes requests",
        parameters=(Parameter("model_name", "path", is_text=True),),
        arguments=m.ModelReadyArguments,
        errors={
            400: m.ErrorResponse,
            500: m.ErrorResponse,
        },
        validation_status=400,
    ),
    Operation(
        id="modelConfig",
        handler="model_config",
        method="GET",
        path="/v2/models/{model_name:path}/config",
        summary="Tell how a model is configured",
        parameters=(Parameter("model_name", "path", is_text=True),),
        arguments=m.ModelConfigArguments,
        response=m.ModelConfig,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            500: m.ErrorResponse,
        },
        validation_status=400,
    ),
    Operation(
        id="modelStatistics",
        handler="model_statistics",
        method="GET",
        path="/v2/models/{model_name:path}/stats",
        summary="Tell what a model did",
        parameters=(Parameter("model_name", "path", is_text=True),),
        arguments=m.ModelStatisticsArguments,
        response=m.Statistics,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            500: m.ErrorResponse,
        },
        validation_status=400,
    ),
    Operation(
        id="modelMetadata",
        handler="model_metadata",
        method="GET",
        path="/v2/models/{model_name:path}",
        summary="Tell what a model takes and gives",
        parameters=(Parameter("model_name", "path", is_text=True),),
        arguments=m.ModelMetadataArguments,
        response=m.ModelMetadata,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            500: m.ErrorResponse,
        },
        validation_status=400,
    ),
)


class Operations(Handlers):
    """One method an operation; whoever implements them all can be served."""

    table: ClassVar[tuple[Operation, ...]] = OPERATIONS

    @abstractmethod
    async def server_metadata(self, call: Call[NoHeaders]) -> Answer[m.ServerMetadata]:
        """GET /v2: Tell the server's name, version and extensions

        Declared errors:
            400: The request cannot be answered
            500: The server failed
        """

    @abstractmethod
    async def server_live(self, call: Call[NoHeaders]) -> None:
        """GET /v2/health/live: Tell whether the server answers

        Declared errors:
            400: The request cannot be answered
            500: The server failed
        """

    @abstractmethod
    async def server_ready(self, call: Call[NoHeaders]) -> None:
        """GET /v2/health/ready: Tell whether all models take requests

        Declared errors:
            400: The request cannot be answered
            500: The server failed
        """

    @abstractmethod
    async def repository_index(
        self, body: m.RepositoryIndexRequest | None, call: Call[NoHeaders]
    ) -> Answer[list[m.RepositoryModel]]:
        """POST /v2/repository/index: List the models

        Declared errors:
            400: The request cannot be answered
            500: The server failed
        """

    @abstractmethod
    async def statistics(self, call: Call[NoHeaders]) -> Answer[m.Statistics]:
        """GET /v2/models/stats: Tell what all models did

        Declared errors:
            400: The request cannot be answered
            500: The server failed
        """

    @abstractmethod
    async def generate_version(
        self, arguments: m.GenerateVersionArguments, body: m.GenerateRequest, call: Call[NoHeaders]
    ) -> Answer[m.GenerateResponse]:
        """POST /v2/models/{model_name}/versions/{model_version}/generate: Generate with one version of a model, and answer when the text is complete

        Declared errors:
            400: The request cannot be answered
            401: The server has a key, and the request has none or another
            500: The server failed
            503: The server has no room for the request, or takes none now
            404: The model has no such version
        """

    @abstractmethod
    async def generate_stream_version(
        self, arguments: m.GenerateStreamVersionArguments, body: m.GenerateRequest, call: Call[NoHeaders]
    ) -> EventStream[m.GenerateEvent]:
        """POST /v2/models/{model_name}/versions/{model_version}/generate_stream: Generate with one version of a model, and answer with server-sent events

        Declared errors:
            400: The request cannot be answered
            401: The server has a key, and the request has none or another
            500: The server failed
            503: The server has no room for the request, or takes none now
            404: The model has no such version
        """

    @abstractmethod
    async def model_version_ready(
        self, arguments: m.ModelVersionReadyArguments, call: Call[NoHeaders]
    ) -> None:
        """GET /v2/models/{model_name}/versions/{model_version}/ready: Tell whether one version of a model takes requests

        Declared errors:
            400: The request cannot be answered
            500: The server failed
            404: The model has no such version
        """

    @abstractmethod
    async def model_version_config(
        self, arguments: m.ModelVersionConfigArguments, call: Call[NoHeaders]
    ) -> Answer[m.ModelConfig]:
        """GET /v2/models/{model_name}/versions/{model_version}/config: Tell how one version of a model is configured

        Declared errors:
            400: The request cannot be answered
            500: The server failed
            404: The model has no such version
        """

    @abstractmethod
    async def model_version_statistics(
        self, arguments: m.ModelVersionStatisticsArguments, call: Call[NoHeaders]
    ) -> Answer[m.Statistics]:
        """GET /v2/models/{model_name}/versions/{model_version}/stats: Tell what one version of a model did

        Declared errors:
            400: The request cannot be answered
            500: The server failed
            404: The model has no such version
        """

    @abstractmethod
    async def model_version_metadata(
        self, arguments: m.ModelVersionMetadataArguments, call: Call[NoHeaders]
    ) -> Answer[m.ModelMetadata]:
        """GET /v2/models/{model_name}/versions/{model_version}: Tell what one version of a model takes and gives

        Declared errors:
            400: The request cannot be answered
            500: The server failed
            404: The model has no such version
        """

    @abstractmethod
    async def generate(
        self, arguments: m.GenerateArguments, body: m.GenerateRequest, call: Call[NoHeaders]
    ) -> Answer[m.GenerateResponse]:
        """POST /v2/models/{model_name}/generate: Generate, and answer when the text is complete

        Declared errors:
            400: The request cannot be answered
            401: The server has a key, and the request has none or another
            500: The server failed
            503: The server has no room for the request, or takes none now
        """

    @abstractmethod
    async def generate_stream(
        self, arguments: m.GenerateStreamArguments, body: m.GenerateRequest, call: Call[NoHeaders]
    ) -> EventStream[m.GenerateEvent]:
        """POST /v2/models/{model_name}/generate_stream: Generate, and answer with server-sent events

        Declared errors:
            400: The request cannot be answered
            401: The server has a key, and the request has none or another
            500: The server failed
            503: The server has no room for the request, or takes none now
        """

    @abstractmethod
    async def model_ready(self, arguments: m.ModelReadyArguments, call: Call[NoHeaders]) -> None:
        """GET /v2/models/{model_name}/ready: Tell whether a model takes requests

        Declared errors:
            400: The request cannot be answered
            500: The server failed
        """

    @abstractmethod
    async def model_config(
        self, arguments: m.ModelConfigArguments, call: Call[NoHeaders]
    ) -> Answer[m.ModelConfig]:
        """GET /v2/models/{model_name}/config: Tell how a model is configured

        Declared errors:
            400: The request cannot be answered
            500: The server failed
        """

    @abstractmethod
    async def model_statistics(
        self, arguments: m.ModelStatisticsArguments, call: Call[NoHeaders]
    ) -> Answer[m.Statistics]:
        """GET /v2/models/{model_name}/stats: Tell what a model did

        Declared errors:
            400: The request cannot be answered
            500: The server failed
        """

    @abstractmethod
    async def model_metadata(
        self, arguments: m.ModelMetadataArguments, call: Call[NoHeaders]
    ) -> Answer[m.ModelMetadata]:
        """GET /v2/models/{model_name}: Tell what a model takes and gives

        Declared errors:
            400: The request cannot be answered
            500: The server failed
        """
