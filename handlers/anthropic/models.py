"""The models that the server has, which is one."""

from datetime import UTC, datetime
from typing import Final

from generated.anthropic import models as m
from handlers.errors.refused import Refused
from handlers.errors.violation import Violation
from handlers.service.model_names import ModelNames, ModelNotFound
from handlers.wire.missing import given

_UNKNOWN: Final = datetime.fromtimestamp(0, UTC)  # as Anthropic says it of a date that nobody knows


class Models:
    """max_total_tokens: of the context."""

    def __init__(self, names: ModelNames, max_total_tokens: int) -> None:
        self._names = names
        self._max_tokens = max_total_tokens - 1  # a prompt and an answer have a token each

    def list(self, arguments: m.ListModelsArguments) -> m.ModelPage:
        """The model under its own name; aliases are for requests alone.

        Raises Refused for a cursor that is no model, and for two of them.
        """
        cursors = {name: given(getattr(arguments, name)) for name in ("after_id", "before_id")}
        asked = {name: value for name, value in cursors.items() if value is not None}
        if len(asked) > 1:
            raise Refused("cannot be together with `after_id`", "before_id")
        for name, value in asked.items():
            try:
                self._names.resolve(value, name)
            except ModelNotFound as error:
                raise Refused("no model has this id", name, Violation.UNSUPPORTED_VALUE) from error
        stages = given(arguments.lifecycle)
        is_listed = not asked and (stages is None or "active" in stages)  # none is before or after it
        data = [self._model(self._names.served)] if is_listed else []
        end = data[0].id if data else None
        return m.ModelPage(data=data, has_more=False, first_id=end, last_id=end)

    def retrieve(self, name: str) -> m.ModelInfo:
        """Raises ModelNotFound."""
        self._names.resolve(name)
        return self._model(name)

    def _model(self, name: str) -> m.ModelInfo:
        return m.ModelInfo(
            id=name,
            type="model",
            display_name=name,
            created_at=_UNKNOWN,
            lifecycle="active",
            line=None,
            deprecated_at=None,
            retires_at=None,
            max_input_tokens=self._max_tokens,
            max_tokens=self._max_tokens,
            capabilities=None,
        )
