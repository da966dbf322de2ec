"""The models that the server has: its own under each name, and each of its adapters."""

from engine.port.info.model_info import ModelInfo
from generated.openai import models as m
from handlers.served_model.model_names import ModelNames


class Models:
    """The models that requests may ask for. created: the Unix time of the server's start, in seconds."""

    def __init__(self, names: ModelNames, info: ModelInfo, created: int) -> None:
        self._names = names
        self._info = info
        self._created = created

    def list(self) -> m.ListModelsResponse:
        """The model under each of its names, and its adapters."""
        return m.ListModelsResponse(object="list", data=list(map(self._model, self._names.listed)))

    def retrieve(self, name: str) -> m.Model:
        """Return the model of a name. Raises ModelNotFound if there is none."""
        self._names.resolve(name)
        return self._model(name)

    def _model(self, name: str) -> m.Model:
        return m.Model(
            id=name,
            object="model",
            created=self._created,
            owned_by="verbatim",
            max_model_len=self._info.max_total_tokens,
            root=self._names.served,
            parent=None if self._names.is_taken(name) else self._names.served,
        )
