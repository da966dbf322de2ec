"""Stop strings and bad words are bounded by all of their characters together, under every contract."""

from typing import Any

import pytest

from engine.port.request import MAX_TEXT_CHARACTERS
from handlers.served_model.request_values import bounded_texts
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.openai.api import MODEL, Api, chat, completion
from verbatim_kit.errors import Refused, Violation

_LONG = ["a" * (MAX_TEXT_CHARACTERS // 2)] * 2 + ["b"]


def test_texts_within_the_bound_are_listed() -> None:
    assert bounded_texts("a" * MAX_TEXT_CHARACTERS, "stop") == ("a" * MAX_TEXT_CHARACTERS,)
    assert bounded_texts([], "stop") == ()


def test_more_is_refused_by_the_name_of_the_field() -> None:
    with pytest.raises(Refused, match="`stop` must have at most 65536 characters. Given: 65537") as raised:
        bounded_texts(_LONG, "stop")
    assert (raised.value.field, raised.value.violation) == ("stop", Violation.TOO_LONG)


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/openai/v1/chat/completions", chat(stop=_LONG), "stop"),
        ("/openai/v1/completions", completion(bad_words=_LONG), "bad_words"),
        ("/openai/v1/responses", {"model": MODEL, "input": "a", "stop": _LONG}, "stop"),
        ("/tgi/generate", {"inputs": "a", "parameters": {"stop": _LONG}}, "stop"),
        ("/tgi/v1/chat/completions", chat(stop=_LONG), "stop"),
        ("/hf/generate", {"inputs": "a", "parameters": {"stop": _LONG}}, "stop"),
        ("/hf/v1/completions", completion(stop=_LONG), "stop"),
        ("/mindie/v1/chat/completions", chat(stop=_LONG), "stop"),
        ("/aleph_alpha/chat/completions", chat(stop=_LONG), "stop"),
        ("/aleph_alpha/complete", completion(maximum_tokens=2, stop_sequences=_LONG), "stop_sequences"),
        ("/anthropic/v1/messages", chat(max_tokens=2, stop_sequences=_LONG), "stop_sequences"),
        (
            f"/triton/v2/models/{MODEL}/generate",
            {"text_input": "a", "parameters": {"bad_words": _LONG}},
            "bad_words",
        ),
    ],
)
async def test_every_contract_refuses_it_as_the_clients_fault(path: str, body: Any, field: str) -> None:
    api = Api(ScriptedEngine(says("x"), max_total_tokens=1000))
    response = await api.post(path, body, headers={"anthropic-version": "2023-06-01"})
    assert response.status_code in (400, 422)
    assert field in response.text
    assert not api.engine.requests
