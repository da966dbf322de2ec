"""Completions, whole and streamed."""

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given
from msgspec.structs import replace

from engine.port.events import FinishReason
from engine.port.request import SamplingParams, StopConditions
from generated.openai import models as m
from handlers.contracts.openai.completions.request import completion_plan
from handlers.contracts.openai.completions.response import CompletionEvents, PromptText
from handlers.served_model.envelope import Envelope
from tests.support.engine_requests import generation_request
from tests.support.scripted.engine import Script, ScriptedEngine, says, token
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.handlers.contracts.openai.api import COMPLETIONS, MODEL, Api, completion, spells, submitted
from tests.unit.handlers.contracts.openai.test_chat import ENDS, STOPS

TOKENIZER = chat_tokenizer()
EVENT = token(
    generation_request(
        request_id="r",
        token_ids=(1,),
        sampling=SamplingParams(),
        stopping=StopConditions(max_tokens=2),
    ),
    position=0,
    text="",
)


async def choices_of(script: Script, prompt: object = "Hi", **fields: Any) -> list[Any]:
    choices: list[Any] = (await Api(script).answer(COMPLETIONS, completion(prompt, **fields)))["choices"]
    return choices


async def joined(script: Script, prompt: object = "Hi", **fields: Any) -> list[Any]:
    """Return the chunks of each choice joined, in the form of a whole answer's choices."""
    chunks = await Api(script).chunks(COMPLETIONS, completion(prompt, **fields))
    choices: dict[int, Any] = {}
    for piece in (choice for chunk in chunks for choice in chunk["choices"]):
        choice = choices.setdefault(piece["index"], {**piece, "text": "", "logprobs": None})
        assert choice["finish_reason"] is None or choice["text"] == "", "a choice ends once"
        choice["text"] += piece["text"]
        choice["finish_reason"] = piece["finish_reason"]
        if piece["finish_reason"]:
            choice["stop_reason"] = piece["stop_reason"]
        if piece["logprobs"]:
            told = choice["logprobs"] or {name: [] for name in piece["logprobs"]}
            choice["logprobs"] = {name: told[name] + more for name, more in piece["logprobs"].items()}
    return [choices[index] for index in sorted(choices)]


async def test_an_answer_is_a_text_completion() -> None:
    api = Api(says("Hel", "lo"))
    answer = await api.answer(COMPLETIONS, completion("Hi"))
    assert answer.keys() == {"id", "object", "created", "model", "system_fingerprint", "choices", "usage"}
    assert (answer["object"], answer["model"]) == ("text_completion", MODEL)
    assert answer["id"].startswith("cmpl-")
    assert answer["choices"] == [
        {"index": 0, "text": "Hello", "logprobs": None, "finish_reason": "stop", "stop_reason": None}
    ]
    assert api.prompt == "Hi"
    assert (answer["usage"]["prompt_tokens"], answer["usage"]["completion_tokens"]) == (2, 3)


@pytest.mark.parametrize(
    ("given_prompt", "token_ids"),
    [
        ("ab", [TOKENIZER.encode("ab")]),
        (["ab", "c"], [TOKENIZER.encode("ab"), TOKENIZER.encode("c")]),
        ([5, 6], [[5, 6]]),
        ([[5, 6], [7]], [[5, 6], [7]]),
    ],
)
async def test_prompts_are_texts_or_token_ids_one_or_several(
    given_prompt: object, token_ids: list[list[int]]
) -> None:
    api = Api(says("x"))
    choices = (await api.answer(COMPLETIONS, completion(given_prompt)))["choices"]
    assert [list(request.prompt.token_ids) for request in api.engine.requests] == token_ids
    assert [choice["index"] for choice in choices] == list(range(len(token_ids)))
    assert len({request.request_id for request in api.engine.requests}) == len(token_ids)


@pytest.mark.parametrize(
    ("fields", "num_tokens"), [({}, 16), ({"max_tokens": None}, 16), ({"max_tokens": 9}, 9)]
)
async def test_sixteen_tokens_are_the_most_unless_told(fields: dict[str, Any], num_tokens: int) -> None:
    assert (await submitted(COMPLETIONS, completion(**fields))).stopping.max_tokens == num_tokens


def telling(script: Script) -> Script:
    """Each text is told with the prompt that it is of."""

    def told(request: Any) -> Any:
        prompt = TOKENIZER.decode(request.prompt.token_ids, skip_special_tokens=True)
        for event in script(request):
            assert not isinstance(event, Exception)
            yield replace(event, text=f"{prompt}{event.index}") if event.position == 0 else event

    return told


async def test_choices_are_those_of_the_first_prompt_and_then_those_of_the_second() -> None:
    choices = await choices_of(telling(says("x")), ["a", "b", "c"], n=2)
    assert [choice["text"] for choice in choices] == ["a0", "a1", "b0", "b1", "c0", "c1"]
    assert [choice["index"] for choice in choices] == [0, 1, 2, 3, 4, 5]
    assert await joined(telling(says("x")), ["a", "b", "c"], n=2) == choices


async def test_the_likeliest_of_several_are_told_and_all_are_counted() -> None:
    api = Api(telling(says("x", logprobs=(-3.0, -1.0, -2.0))))
    answer = await api.answer(COMPLETIONS, completion("a", n=2, best_of=3))
    assert [choice["text"] for choice in answer["choices"]] == ["a1", "a2"]
    assert [choice["index"] for choice in answer["choices"]] == [0, 1]
    assert {choice["logprobs"] for choice in answer["choices"]} == {None}
    assert answer["usage"]["completion_tokens"] == 6
    assert api.engine.request.num_sequences == 3


@pytest.mark.parametrize(("script", "finish_reason", "stop_reason"), ENDS)
async def test_the_end_is_told_with_the_requests_own_stop_that_made_it(
    script: Script, finish_reason: str, stop_reason: str | int | None
) -> None:
    for choices in (await choices_of(script, **STOPS), await joined(script, **STOPS)):
        (choice,) = choices
        assert (choice["finish_reason"], choice["stop_reason"]) == (finish_reason, stop_reason)


async def test_an_echo_puts_the_prompt_before_the_text() -> None:
    (choice,) = await choices_of(says("x"), "Hi", echo=True)
    assert choice["text"] == "Hix"
    (choice,) = await choices_of(says("x"), TOKENIZER.encode("<|im_start|>a"), echo=True)
    assert choice["text"] == "<|im_start|>ax"  # of token ids nothing is left out


async def test_log_probabilities_are_four_lists_of_the_texts_tokens() -> None:
    (choice,) = await choices_of(spells("ab"), "Hi", logprobs=1)
    logprobs = choice["logprobs"]
    assert logprobs["tokens"] == ["a", "b", "<|im_end|>"]
    assert logprobs["token_logprobs"] == [-0.5] * 3
    assert logprobs["text_offset"] == [2, 3, 4]  # after the prompt
    assert [len(top) for top in logprobs["top_logprobs"]] == [2, 2, 2]  # the likeliest, and the token's own
    assert all(own in top for own, top in zip(logprobs["tokens"], logprobs["top_logprobs"], strict=True))


async def test_no_likeliest_tokens_are_told_but_each_its_own_if_none_are_asked() -> None:
    (choice,) = await choices_of(spells("a"), logprobs=0)
    assert choice["logprobs"]["top_logprobs"] == [{"a": -0.5}, {"<|im_end|>": -0.5}]


async def test_an_echo_with_log_probabilities_tells_of_the_prompt_too() -> None:
    api = Api(spells("b"))
    answer = await api.answer(COMPLETIONS, completion("Hia", echo=True, logprobs=2))
    logprobs = answer["choices"][0]["logprobs"]
    assert api.engine.request.sampling.num_prompt_logprobs == 2
    assert logprobs["tokens"] == ["H", "i", "a", "b", "<|im_end|>"]
    assert logprobs["token_logprobs"] == [None, -1.0, -1.0, -0.5, -0.5]
    assert logprobs["top_logprobs"][0] is None
    assert logprobs["text_offset"] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("fields", [{"echo": True}, {"logprobs": 1}, {"echo": True, "best_of": 2}])
async def test_the_prompts_log_probabilities_cost_nothing_unless_they_are_told(
    fields: dict[str, Any],
) -> None:
    assert (await submitted(COMPLETIONS, completion(**fields))).sampling.num_prompt_logprobs is None


async def test_no_tokens_at_all_tell_of_the_prompt_alone() -> None:
    api = Api(spells("b"))
    answer = await api.answer(COMPLETIONS, completion("Hi", echo=True, logprobs=1, max_tokens=0))
    (choice,) = answer["choices"]
    assert (choice["text"], choice["finish_reason"], choice["stop_reason"]) == ("Hi", "length", None)
    assert choice["logprobs"]["tokens"] == ["H", "i"]
    assert (answer["usage"]["prompt_tokens"], answer["usage"]["completion_tokens"]) == (2, 0)
    assert api.engine.request.stopping.max_tokens == 1


STREAMED: list[dict[str, Any]] = [
    {},
    {"n": 2},
    {"echo": True},
    {"logprobs": 2},
    {"echo": True, "logprobs": 2, "n": 2},
    {"logprobs": 0, "prompt": ["é", "b"]},
    {"echo": True, "logprobs": 1, "prompt": [[5, 6], [7]]},
]


@pytest.mark.parametrize("fields", STREAMED)
async def test_a_streamed_answer_joined_is_the_whole_one(fields: dict[str, Any]) -> None:
    prompt = fields.get("prompt", "Hi")
    options = {name: value for name, value in fields.items() if name != "prompt"}
    assert await joined(spells("Hé€"), prompt, **options) == await choices_of(
        spells("Hé€"), prompt, **options
    )


@pytest.mark.parametrize("fields", [{"echo": True, "logprobs": 1}, {"echo": True}, {}])
async def test_no_tokens_at_all_are_streamed_as_they_are_told(fields: dict[str, Any]) -> None:
    script = says("b", finish=FinishReason.LENGTH)
    assert await joined(script, max_tokens=0, **fields) == await choices_of(script, max_tokens=0, **fields)


async def test_usage_if_asked_is_null_until_a_last_chunk_without_choices() -> None:
    body = completion(["a", "bc"], stream_options={"include_usage": True})
    *chunks, last = await Api(says("x")).chunks(COMPLETIONS, body)
    assert all(chunk["usage"] is None and chunk["choices"] for chunk in chunks)
    assert last["choices"] == []
    assert (last["usage"]["prompt_tokens"], last["usage"]["completion_tokens"]) == (3, 4)
    plain = await Api(says("x")).chunks(COMPLETIONS, completion(["a", "bc"]))
    assert all("usage" not in chunk for chunk in plain)
    assert len({chunk["id"] for chunk in plain}) == 1


async def test_prompts_run_at_the_same_time() -> None:
    num_running: list[int] = []

    def script(request: Any) -> Any:
        for event in says("a", "b")(request):
            num_running.append(engine.num_running)
            yield event

    engine = ScriptedEngine(script)
    await Api(engine).answer(COMPLETIONS, completion(["a", "b", "c"]))
    assert max(num_running) == 3


@given(text=st.text(), model=st.text(), index=st.integers(0, 127), tells_usage=st.booleans())
def test_the_prebuilt_chunk_is_the_models_own_serialisation(
    text: str, model: str, index: int, tells_usage: bool
) -> None:
    envelope = Envelope.new(model, "cmpl")
    empty = m.CreateCompletionStreamResponse(
        id=envelope.id,
        object="text_completion",
        created=envelope.created,
        model=model,
        system_fingerprint="fp_1",
        choices=[],
    )
    if tells_usage:
        empty.usage = None
    request = m.CreateCompletionRequest(model=model, prompt="a", n=128)
    events = CompletionEvents(completion_plan(request), [PromptText("a", (1,))], empty, TOKENIZER)
    choice = m.CompletionStreamChoice(index=index, text=text, logprobs=None, finish_reason=None)
    written = empty.model_copy(update={"choices": [choice]})
    event = replace(EVENT, text=text, index=index)
    assert events.encode(0, event) == written.__pydantic_serializer__.to_json(written)
