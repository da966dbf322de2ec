# Generated from specs/admin: mend the document or its overlay, never this file.
"""Admin API 1.0.0: its operations, and the interface that its handlers implement."""

from abc import abstractmethod
from typing import ClassVar, Final, TypedDict

from verbatim_kit.runtime.operation import (
    Answer,
    Call,
    Handlers,
    Operation,
    Parameter,
)

from . import models as m


class NoHeaders(TypedDict):
    """The document declares no header for the answer."""


OPERATIONS: Final = (
    Operation(
        id="listModels",
        handler="list_models",
        method="GET",
        path="/models",
        summary="List all models",
        response=m.ModelList,
        media_type="application/json",
        errors={
            401: m.ErrorResponse,
            500: m.ErrorResponse,
        },
        is_secured=True,
    ),
    Operation(
        id="load",
        handler="load",
        method="POST",
        path="/load",
        summary="Start a model",
        parameters=(Parameter("model", "query", is_text=True),),
        arguments=m.LoadArguments,
        response=m.Done,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            404: m.ErrorResponse,
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
    ),
    Operation(
        id="unload",
        handler="unload",
        method="POST",
        path="/unload",
        summary="Stop a model, which its next request starts; running requests end within the grace period",
        parameters=(Parameter("model", "query", is_text=True),),
        arguments=m.UnloadArguments,
        response=m.Done,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            404: m.ErrorResponse,
            500: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
    ),
    Operation(
        id="sleep",
        handler="sleep",
        method="POST",
        path="/sleep",
        summary="Stop models, whose requests are refused until they are woken",
        parameters=(
            Parameter("model", "query", is_text=True),
            Parameter("level", "query", is_text=False),
        ),
        arguments=m.SleepArguments,
        response=m.Done,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            404: m.ErrorResponse,
            500: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
    ),
    Operation(
        id="wakeUp",
        handler="wake_up",
        method="POST",
        path="/wake_up",
        summary="End the sleep of models, and start those that ran before",
        parameters=(Parameter("model", "query", is_text=True),),
        arguments=m.WakeUpArguments,
        response=m.Done,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            404: m.ErrorResponse,
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
    ),
    Operation(
        id="wake",
        handler="wake",
        method="POST",
        path="/wake",
        summary="The same as `wake_up`",
        parameters=(Parameter("model", "query", is_text=True),),
        arguments=m.WakeArguments,
        response=m.Done,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            404: m.ErrorResponse,
            500: m.ErrorResponse,
            503: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
    ),
    Operation(
        id="isSleeping",
        handler="is_sleeping",
        method="GET",
        path="/is_sleeping",
        summary="Tell whether models sleep",
        parameters=(Parameter("model", "query", is_text=True),),
        arguments=m.IsSleepingArguments,
        response=m.Sleep,
        media_type="application/json",
        errors={
            400: m.ErrorResponse,
            401: m.ErrorResponse,
            404: m.ErrorResponse,
            500: m.ErrorResponse,
        },
        validation_status=400,
        is_secured=True,
    ),
)


class Operations(Handlers):
    """One method an operation; whoever implements them all can be served."""

    table: ClassVar[tuple[Operation, ...]] = OPERATIONS

    @abstractmethod
    async def list_models(self, call: Call[NoHeaders]) -> Answer[m.ModelList]:
        """GET /models: List all models

        Declared errors:
            401: The admin key is missing, or another one was sent
            500: The server failed
        """

    @abstractmethod
    async def load(self, arguments: m.LoadArguments, call: Call[NoHeaders]) -> Answer[m.Done]:
        """POST /load: Start a model

        Declared errors:
            400: The request is not what this document says
            401: The admin key is missing, or another one was sent
            404: There is no model of this name
            500: The server failed
            503: The model cannot be started, or not within `--model-start-timeout`
        """

    @abstractmethod
    async def unload(self, arguments: m.UnloadArguments, call: Call[NoHeaders]) -> Answer[m.Done]:
        """POST /unload: Stop a model, which its next request starts; running requests end within the grace period

        Declared errors:
            400: The request is not what this document says
            401: The admin key is missing, or another one was sent
            404: There is no model of this name
            500: The server failed
        """

    @abstractmethod
    async def sleep(self, arguments: m.SleepArguments, call: Call[NoHeaders]) -> Answer[m.Done]:
        """POST /sleep: Stop models, whose requests are refused until they are woken

        Declared errors:
            400: The request is not what this document says
            401: The admin key is missing, or another one was sent
            404: There is no model of this name
            500: The server failed
        """

    @abstractmethod
    async def wake_up(self, arguments: m.WakeUpArguments, call: Call[NoHeaders]) -> Answer[m.Done]:
        """POST /wake_up: End the sleep of models, and start those that ran before

        Declared errors:
            400: The request is not what this document says
            401: The admin key is missing, or another one was sent
            404: There is no model of this name
            500: The server failed
            503: The model cannot be started, or not within `--model-start-timeout`
        """

    @abstractmethod
    async def wake(self, arguments: m.WakeArguments, call: Call[NoHeaders]) -> Answer[m.Done]:
        """POST /wake: The same as `wake_up`

        Declared errors:
            400: The request is not what this document says
            401: The admin key is missing, or another one was sent
            404: There is no model of this name
            500: The server failed
            503: The model cannot be started, or not within `--model-start-timeout`
        """

    @abstractmethod
    async def is_sleeping(self, arguments: m.IsSleepingArguments, call: Call[NoHeaders]) -> Answer[m.Sleep]:
        """GET /is_sleeping: Tell whether models sleep

        Declared errors:
            400: The request is not what this document says
            401: The admin key is missing, or another one was sent
            404: There is no model of this name
            500: The server failed
        """
