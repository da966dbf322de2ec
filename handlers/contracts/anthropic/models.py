"""The models that the server has: its own under each name, and each of its adapters."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from generated.anthropic import models as m
from handlers.operations.missing import given
from handlers.served_model.model_names import ModelNames, ModelNotFound
from verbatim_kit.errors import Refused, Violation

_UNKNOWN: Final = datetime.fromtimestamp(0, UTC)  # as Anthropic says it of a date that nobody knows


class Models:
    """The models that requests may ask for. max_total_tokens: the tokens of the context; None if unknown."""

    def __init__(self, names: ModelNames, max_total_tokens: int | None) -> None:
        self._names = names
        # A prompt and an answer have a token each.
        self._max_tokens = None if max_total_tokens is None else max_total_tokens - 1

    def list(self, arguments: m.ListModelsArguments) -> m.ModelPage:
        """A page of the model under each of its names, and its adapters.

        Raises Refused for a cursor that is no model, and for two of them.
        """
        cursors = {name: given(getattr(arguments, name)) for name in ("after_id", "before_id")}
        named = {name: value for name, value in cursors.items() if value is not None}
        if len(named) > 1:
            raise Refused("cannot be together with `after_id`", "before_id")
        stages = given(arguments.lifecycle)
        names = list(self._names.listed) if stages is None or "active" in stages else []
        after, before = (self._place(cursors[name], name, names) for name in ("after_id", "before_id"))
        if before is not None:
            first, last = max(0, before - arguments.limit), before
        else:
            first = 0 if after is None else after + 1
            last = first + arguments.limit
        data = list(map(self._model, names[first:last]))
        return m.ModelPage(
            data=data,
            has_more=first > 0 if before is not None else last < len(names),
            first_id=data[0].id if data else None,
            last_id=data[-1].id if data else None,
        )

    def _place(self, cursor: str | None, field: str, names: Sequence[str]) -> int | None:
        """Return the place of a model among those listed. Raises Refused if there is no such model."""
        if cursor is None:
            return None
        if cursor in names:
            return names.index(cursor)
        try:
            listed = self._names.resolve(cursor, field).model
        except ModelNotFound as error:
            raise Refused("no model has this id", field, Violation.UNSUPPORTED_VALUE) from error
        return names.index(listed) if listed in names else None

    def retrieve(self, name: str) -> m.ModelInfo:
        """Return the model of a name. Raises ModelNotFound if there is none."""
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
