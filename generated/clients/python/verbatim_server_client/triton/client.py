# Generated from specs/triton: mend the document or its overlay, never this file.
"""Triton Inference Server, HTTP protocol with the generate extension 2.73.0: its synchronous client."""

from typing_extensions import Unpack

from ..runtime.client import BaseClient
from ..runtime.operation import Arguments
from ..runtime.stream import EventStream
from . import models as m
from . import operations as o
from . import requests as r
from .raw_client import RawClient


class Client(BaseClient):
    """Triton Inference Server, HTTP protocol with the generate extension 2.73.0, one method an operation; its own base URL ends in /triton.

    Answers are parts of `models`, requests are made of `requests`.
    """

    contract = o.CONTRACT

    @property
    def with_raw_response(self) -> RawClient:
        """The methods that answer whole, whose answers come with their status and headers."""
        return RawClient(self)

    def server_metadata(self) -> m.ServerMetadata:
        """GET /v2: Tell the server's name, version and extensions

        Declared errors: 400, 500.

        Example::

            answer = client.server_metadata()
        """
        return self._call(o.SERVER_METADATA, Arguments())

    def server_live(self) -> None:
        """GET /v2/health/live: Tell whether the server answers

        Declared errors: 400, 500.

        Example::

            client.server_live()
        """
        return self._call(o.SERVER_LIVE, Arguments())

    def server_ready(self) -> None:
        """GET /v2/health/ready: Tell whether all models take requests

        Declared errors: 400, 500.

        Example::

            client.server_ready()
        """
        return self._call(o.SERVER_READY, Arguments())

    def repository_index(self, **body: Unpack[r.RepositoryIndexRequest]) -> list[m.RepositoryModel]:
        """POST /v2/repository/index: List the models

        Keyword arguments are the members of `requests.RepositoryIndexRequest`.

        Declared errors: 400, 500.

        Example::

            answer = client.repository_index(ready=True)
        """
        return self._call(o.REPOSITORY_INDEX, Arguments(body=body or None))

    def statistics(self) -> m.Statistics:
        """GET /v2/models/stats: Tell what all models did

        Declared errors: 400, 500.

        Example::

            answer = client.statistics()
        """
        return self._call(o.STATISTICS, Arguments())

    def generate_version(
        self, model_name: str, model_version: str, **body: Unpack[r.GenerateRequest]
    ) -> m.GenerateResponse:
        """POST /v2/models/{model_name}/versions/{model_version}/generate: Generate with one version of a model, and answer when the text is complete

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            answer = client.generate_version(
                "verbatim-demo",
                "1",
                id="42",
                text_input="client input",
                parameters={"stream": False, "temperature": 0},
            )
        """
        return self._call(
            o.GENERATE_VERSION,
            Arguments(path={"model_name": model_name, "model_version": model_version}, body=body),
        )

    def generate_stream_version(
        self, model_name: str, model_version: str, **body: Unpack[r.GenerateRequest]
    ) -> EventStream[m.GenerateResponse]:
        """POST /v2/models/{model_name}/versions/{model_version}/generate_stream: Generate with one version of a model, and answer with server-sent events

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 400, 401, 404, 500, 503.

        Example::

            with client.generate_stream_version(
                "verbatim-demo",
                "1",
                id="42",
                text_input="client input",
                parameters={"stream": False, "temperature": 0},
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(
            o.GENERATE_STREAM_VERSION,
            Arguments(path={"model_name": model_name, "model_version": model_version}, body=body),
        )

    def model_version_ready(self, model_name: str, model_version: str) -> None:
        """GET /v2/models/{model_name}/versions/{model_version}/ready: Tell whether one version of a model takes requests

        Declared errors: 400, 404, 500.

        Example::

            client.model_version_ready("verbatim-demo", "1")
        """
        return self._call(
            o.MODEL_VERSION_READY,
            Arguments(
                path={"model_name": model_name, "model_version": model_version},
            ),
        )

    def model_version_config(self, model_name: str, model_version: str) -> m.ModelConfig:
        """GET /v2/models/{model_name}/versions/{model_version}/config: Tell how one version of a model is configured

        Declared errors: 400, 404, 500.

        Example::

            answer = client.model_version_config("verbatim-demo", "1")
        """
        return self._call(
            o.MODEL_VERSION_CONFIG,
            Arguments(
                path={"model_name": model_name, "model_version": model_version},
            ),
        )

    def model_version_statistics(self, model_name: str, model_version: str) -> m.Statistics:
        """GET /v2/models/{model_name}/versions/{model_version}/stats: Tell what one version of a model did

        Declared errors: 400, 404, 500.

        Example::

            answer = client.model_version_statistics("verbatim-demo", "1")
        """
        return self._call(
            o.MODEL_VERSION_STATISTICS,
            Arguments(
                path={"model_name": model_name, "model_version": model_version},
            ),
        )

    def model_version_metadata(self, model_name: str, model_version: str) -> m.ModelMetadata:
        """GET /v2/models/{model_name}/versions/{model_version}: Tell what one version of a model takes and gives

        Declared errors: 400, 404, 500.

        Example::

            answer = client.model_version_metadata("verbatim-demo", "1")
        """
        return self._call(
            o.MODEL_VERSION_METADATA,
            Arguments(
                path={"model_name": model_name, "model_version": model_version},
            ),
        )

    def generate(self, model_name: str, **body: Unpack[r.GenerateRequest]) -> m.GenerateResponse:
        """POST /v2/models/{model_name}/generate: Generate, and answer when the text is complete

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 400, 401, 500, 503.

        Example::

            answer = client.generate(
                "verbatim-demo",
                id="42",
                text_input="client input",
                parameters={"stream": False, "temperature": 0},
            )
        """
        return self._call(o.GENERATE, Arguments(path={"model_name": model_name}, body=body))

    def generate_stream(
        self, model_name: str, **body: Unpack[r.GenerateRequest]
    ) -> EventStream[m.GenerateResponse]:
        """POST /v2/models/{model_name}/generate_stream: Generate, and answer with server-sent events

        Keyword arguments are the members of `requests.GenerateRequest`.

        Declared errors: 400, 401, 500, 503.

        Example::

            with client.generate_stream(
                "verbatim-demo",
                id="42",
                text_input="client input",
                parameters={"stream": False, "temperature": 0},
            ) as events:
                for event in events:
                    print(event)
        """
        return self._stream(o.GENERATE_STREAM, Arguments(path={"model_name": model_name}, body=body))

    def model_ready(self, model_name: str) -> None:
        """GET /v2/models/{model_name}/ready: Tell whether a model takes requests

        Declared errors: 400, 500.

        Example::

            client.model_ready("verbatim-demo")
        """
        return self._call(
            o.MODEL_READY,
            Arguments(
                path={"model_name": model_name},
            ),
        )

    def model_config(self, model_name: str) -> m.ModelConfig:
        """GET /v2/models/{model_name}/config: Tell how a model is configured

        Declared errors: 400, 500.

        Example::

            answer = client.model_config("verbatim-demo")
        """
        return self._call(
            o.MODEL_CONFIG,
            Arguments(
                path={"model_name": model_name},
            ),
        )

    def model_statistics(self, model_name: str) -> m.Statistics:
        """GET /v2/models/{model_name}/stats: Tell what a model did

        Declared errors: 400, 500.

        Example::

            answer = client.model_statistics("verbatim-demo")
        """
        return self._call(
            o.MODEL_STATISTICS,
            Arguments(
                path={"model_name": model_name},
            ),
        )

    def model_metadata(self, model_name: str) -> m.ModelMetadata:
        """GET /v2/models/{model_name}: Tell what a model takes and gives

        Declared errors: 400, 500.

        Example::

            answer = client.model_metadata("verbatim-demo")
        """
        return self._call(
            o.MODEL_METADATA,
            Arguments(
                path={"model_name": model_name},
            ),
        )
