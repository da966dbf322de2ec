"""Requests in the form of OpenAI's, whose handlers answer them."""

from collections.abc import Iterator, Sequence
from typing import Any

from generated.open_responses import models as m
from generated.openai import models as openai
from verbatim_kit.errors import Refused, Violation


def openai_request(
    body: m.CreateResponseBody, served_model: str, earlier: Sequence[dict[str, Any]] = ()
) -> openai.CreateResponseRequest:
    """Return OpenAI's form of a request. Raises Refused for what that form has no place for.

    served_model: the name of the model that answers where the request names none.
    earlier: the items of the response that the request continues, where no store has them.
    """
    fields = body.model_dump(by_alias=True, exclude_unset=True)
    fields["model"] = body.model or served_model
    if not isinstance(body.input, str):
        fields["input"] = list(_items(fields["input"]))
    if earlier:
        fields["input"] = [*earlier, *as_items(fields["input"])]
        del fields["previous_response_id"]
    if isinstance(body.tool_choice, m.AllowedToolsParam):
        fields["tool_choice"]["mode"] = body.tool_choice.mode
    return openai.CreateResponseRequest.model_validate(fields)


def as_items(sent: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return an input's items; those of a text are the user's message."""
    return [{"type": "message", "role": "user", "content": sent}] if isinstance(sent, str) else sent


def _items(items: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for at, item in enumerate(items):
        item.pop("status", None)  # any text here, one of three words there, and without effect in both
        if item.get("type") is None and "role" not in item:
            item["type"] = "item_reference"
        if isinstance(output := item.get("output"), list):
            _check_has_no_video(output, f"input[{at}].output")
        yield item


def _check_has_no_video(parts: list[dict[str, Any]], field: str) -> None:
    """Raise Refused for a video."""
    for at, part in enumerate(parts):
        if part["type"] == "input_video":
            reason = "What a function returns may have texts, images and files here."
            raise Refused(reason, f"{field}[{at}].type", Violation.UNSUPPORTED_VALUE)
