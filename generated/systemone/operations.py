# Generated from specs/systemone: mend the document or its overlay, never this file.
"""System One API 0.2.0: its operations, and the interface that its handlers implement."""

from abc import abstractmethod
from typing import ClassVar, Final, Required, TypedDict

from verbatim_kit.runtime.operation import (
    Answer,
    Call,
    Handlers,
    Operation,
)

from . import models as m


class NoHeaders(TypedDict):
    """The document declares no header for the answer."""


SystemOneHeaders = TypedDict(
    "SystemOneHeaders",
    {
        "x-typesafe-request-id": Required[str],
    },
    total=False,
)

ListModelsHeaders = TypedDict(
    "ListModelsHeaders",
    {
        "x-typesafe-request-id": Required[str],
    },
    total=False,
)

OPERATIONS: Final = (
    Operation(
        id="systemOne",
        handler="system_one",
        method="POST",
        path="/v1/systemone",
        summary="Answer questions about a state",
        body=m.SystemOneRequest,
        response=m.SystemOneResponse,
        media_type="application/json",
        headers={
            "x-typesafe-request-id": True,
        },
        errors={
            422: m.ValidationError,
            401: m.Failure,
            404: m.Failure,
            413: m.Failure,
            415: m.Failure,
            429: m.Failure,
            500: m.Failure,
            503: m.Failure,
        },
        validation_status=422,
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
    Operation(
        id="listModels",
        handler="list_models",
        method="GET",
        path="/v1/models",
        summary="Name the models that are served",
        response=m.ModelList,
        media_type="application/json",
        headers={
            "x-typesafe-request-id": True,
        },
        errors={
            401: m.Failure,
            429: m.Failure,
            500: m.Failure,
        },
        is_secured=True,
        key_headers=("authorization", "api-key"),
    ),
)


class Operations(Handlers):
    """One method an operation; whoever implements them all can be served."""

    table: ClassVar[tuple[Operation, ...]] = OPERATIONS

    @abstractmethod
    async def system_one(
        self, body: m.SystemOneRequest, call: Call[SystemOneHeaders]
    ) -> Answer[m.SystemOneResponse]:
        """POST /v1/systemone: Answer questions about a state

        Declared errors:
            422: The request is not what this document says, or breaks a rule that no schema states
            401: The server has a key, and the request has none or another
            404: No model of this name is served
            413: The body is longer than the server accepts
            415: The body is not declared as JSON in UTF-8
            429: The server has as many requests as it takes at once, or the key has used up its minute
            500: The server failed
            503: The server is starting or shutting down
        """

    @abstractmethod
    async def list_models(self, call: Call[ListModelsHeaders]) -> Answer[m.ModelList]:
        """GET /v1/models: Name the models that are served

        Declared errors:
            401: The server has a key, and the request has none or another
            429: The server has as many requests as it takes at once, or the key has used up its minute
            500: The server failed
        """
