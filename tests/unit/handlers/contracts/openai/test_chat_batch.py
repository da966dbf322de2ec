"""A batch of conversations is answered in one piece, each by the choice of its number."""

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from engine.port.events import FinishReason, TokenEvent
from engine.port.request import GenerationRequest
from tests.support.scripted.engine import ScriptedEngine, says, token
from tests.support.scripted.media_processor import png, seeing_engine
from tests.unit.handlers.contracts.openai.api import CHAT, MODEL, TOOL, Api, quiet

BATCH = f"{CHAT}/batch"


def batch(*texts: str, **fields: Any) -> dict[str, Any]:
    return {"model": MODEL, "messages": [[{"role": "user", "content": text}] for text in texts], **fields}


def repeats(request: GenerationRequest) -> Iterator[TokenEvent]:
    """Say how long the prompt is."""
    yield token(request, 0, str(len(request.prompt.token_ids)))
    yield token(request, 1, "", finish=FinishReason.END_TOKEN)


async def test_each_conversation_has_the_choice_of_its_number() -> None:
    api = Api(repeats)
    texts = ["a", "bb", "ccc"]
    alone = [await api.answer(CHAT, {**batch(), "messages": one}) for one in batch(*texts)["messages"]]
    api.engine.requests.clear()
    answer = await api.answer(BATCH, batch(*texts, request_id="own", seed=5))
    assert answer["id"] == "chatcmpl-own"
    assert [choice["index"] for choice in answer["choices"]] == [0, 1, 2]
    contents = [choice["message"]["content"] for choice in answer["choices"]]
    assert contents == [one["choices"][0]["message"]["content"] for one in alone]
    for field in ("prompt_tokens", "completion_tokens", "total_tokens"):
        assert answer["usage"][field] == sum(one["usage"][field] for one in alone)
    assert [request.sampling.seed for request in api.engine.requests] == [5, 5, 5]


async def test_answers_have_what_the_request_asks_for() -> None:
    body = batch("a", "b", logprobs=True, top_logprobs=1, return_token_ids=True, service_tier="auto")
    answer = await Api(says("x")).answer(BATCH, body)
    assert answer["service_tier"] == "default"
    assert "prompt_token_ids" not in answer
    for choice in answer["choices"]:
        assert choice["token_ids"] and len(choice["logprobs"]["content"][0]["top_logprobs"]) == 1


async def test_values_without_effect_are_taken() -> None:
    body = batch(
        "a", n=1, stream=False, use_beam_search=False, tools=None, tool_choice="none", stream_options=None
    )
    assert len((await quiet().answer(BATCH, body))["choices"]) == 1


async def test_images_of_each_conversation_are_read() -> None:
    engine, media = seeing_engine(script=says("a"))
    url = f"data:image/png;base64,{b64encode(png()).decode()}"
    image = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]
    body = batch("a")
    body["messages"].append(image)
    await Api(engine).answer(BATCH, body)
    assert [len(request.prompt.media) for request in engine.requests] == [0, 1]
    assert len(media.items) == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (batch(), "messages"),
        ({**batch(), "messages": [[]]}, "messages[0]"),
        ({**batch("a"), "messages": [{"role": "user", "content": "a"}]}, "messages[0]"),
        ({**batch("a"), "messages": [*batch("a")["messages"], [{"role": "tool"}]]}, "messages[1][0].content"),
        (
            {
                **batch("a"),
                "messages": [*batch("a")["messages"], [{"role": "tool", "tool_call_id": "1", "content": ""}]],
            },
            "messages[1][0].tool_call_id",
        ),
        (batch("a", n=2), "n"),
        (batch("a", stream=True), "stream"),
        (batch("a", tools=[TOOL]), "tools"),
        (batch("a", tool_choice="auto"), "tool_choice"),
        (batch("a", functions=[TOOL["function"]]), "functions"),
        (batch("a", use_beam_search=True), "use_beam_search"),
        (batch("a", prompt_logprobs=0), "prompt_logprobs"),
        (batch("a", logprob_token_ids=[5]), "logprob_token_ids"),
        (batch("a", top_logprobs=2), "top_logprobs"),
        (batch(*"a" * 2049), "messages"),
    ],
)
async def test_what_no_batch_can_have_is_refused_by_its_field(body: dict[str, Any], field: str) -> None:
    status, error = await quiet().error(BATCH, body)
    assert (status, error["param"]) == (400, field), error["message"]


async def test_a_batch_takes_turns_like_several_prompts() -> None:
    engine = ScriptedEngine(says("x"))
    answer = await Api(engine, max_concurrent_requests=8).answer(BATCH, batch(*"abcdefgh"))
    assert len(answer["choices"]) == 8


async def test_another_model_is_not_found() -> None:
    answer = await quiet().post(BATCH, {**batch("a"), "model": "other"})
    assert answer.status_code == 404
