"""Answers, whole and streamed: their text, what is told beside it, and their order."""

import json
import math
from typing import Any

from engine.port.events import FinishReason
from generated.triton import models as m
from handlers.contracts.triton.generate.response import Envelope, Responses
from tests.support.scripted.engine import ScriptedEngine, says, token
from tests.unit.handlers.contracts.triton.api import MODEL, Api
from tests.unit.verbatim_kit.runtime.client import send

TOLD = {
    "return_finish_reason": True,
    "return_cumulative_logprob": True,
    "return_logprobs": True,
    "return_log_probs": True,
    "return_num_input_tokens": True,
    "return_num_output_tokens": True,
    "logprobs": 2,
}
SAYS = says(" there", "!", finish=FinishReason.LENGTH)


async def test_a_text_begins_with_its_input_unless_that_is_excluded() -> None:
    for members, text in (
        ({}, "Hi there!"),
        ({"exclude_input_in_output": False}, "Hi there!"),
        ({"exclude_input_in_output": True}, " there!"),
        ({"parameters": {"exclude_input_in_output": [True]}}, " there!"),
    ):
        assert (await Api(SAYS).answer(**members))["text_output"] == text


async def test_a_stream_has_an_event_a_token_without_the_input_and_no_mark_at_its_end() -> None:
    told = await Api(SAYS).events()
    assert told == [
        {"model_name": "verbatim-demo", "model_version": "1", "text_output": text} for text in (" there", "!")
    ]


async def test_what_is_not_to_be_streamed_is_one_event_with_the_input() -> None:
    for members in ({"stream": False}, {"stream": [False], "return_finish_reason": True}):
        (event,) = await Api(SAYS).events(**members)
        assert event["text_output"] == "Hi there!"


async def test_an_id_is_repeated_unless_it_is_empty() -> None:
    assert (await Api(SAYS).answer(id='4"2'))["id"] == '4"2'
    assert {event["id"] for event in await Api(SAYS).events(id='4"2')} == {'4"2'}
    assert "id" not in await Api(SAYS).answer(id="")
    assert "id" not in (await Api(SAYS).events(id=""))[0]


async def test_members_stand_in_tritons_order() -> None:
    answer = await Api(SAYS).answer(id="1", return_finish_reason=True)
    assert list(answer) == ["id", "model_name", "model_version", "text_output", "finish_reason"]


async def test_the_model_is_called_as_the_request_calls_it() -> None:
    response = await send(
        Api(SAYS).app, "POST", "/triton/v2/models/dummy/versions/1/generate", json={"text_input": "Hi"}
    )
    assert response.json()["model_name"] == "dummy"


async def test_a_model_whose_name_has_a_slash_is_found_escaped_or_not() -> None:
    app = Api(SAYS, served_model_name="org/name").app
    for name in ("org/name", "org%2Fname"):
        for part in ("", "/versions/1"):
            path = f"/triton/v2/models/{name}{part}"
            response = await send(app, "POST", f"{path}/generate", json={"text_input": "Hi"})
            assert response.json()["model_name"] == "org/name"
            assert (await send(app, "GET", path)).json()["name"] == "org/name"


async def test_all_that_a_whole_answer_can_tell() -> None:
    answer = await Api(SAYS).answer(**TOLD)
    assert answer["finish_reason"] == "length"
    assert answer["cumulative_logprob"] == answer["cum_log_probs"] == -1.0
    assert answer["output_log_probs"] == [-0.5, -0.5]
    assert (answer["num_output_tokens"], answer["num_input_tokens"] > 0) == (2, True)
    first, second = json.loads(answer["logprobs"])
    assert first["100"] == {"logprob": -0.5, "rank": 1, "decoded_token": " there0"}
    assert (first["101"]["rank"], second["102"]["rank"]) == (2, 2)


async def test_what_is_not_asked_for_is_not_told() -> None:
    answer = await Api(SAYS).answer(**dict.fromkeys(TOLD, False) | {"logprobs": 2})
    assert set(answer) == {"model_name", "model_version", "text_output"}


async def test_logprobs_that_were_not_asked_for_are_the_text_null() -> None:
    for others in ({}, {"return_log_probs": True}):
        assert (await Api(SAYS).answer(return_logprobs=True, **others))["logprobs"] == "null"


async def test_a_token_that_is_not_among_the_likeliest_has_no_rank() -> None:
    answer = await Api(SAYS).answer(return_logprobs=True, logprobs=0)
    assert json.loads(answer["logprobs"])[0]["100"]["rank"] is None


async def test_events_add_up_to_the_whole_answer() -> None:
    whole = await Api(SAYS).answer(**TOLD, exclude_input_in_output=True)
    told = await Api(SAYS).events(**TOLD)
    assert "".join(event["text_output"] for event in told) == whole["text_output"]
    assert [event["finish_reason"] for event in told] == ["None", "length"]
    assert [event["num_output_tokens"] for event in told] == [1, 1]
    assert [event["output_log_probs"] for event in told] == whole["output_log_probs"]
    assert [event["cumulative_logprob"] for event in told] == [-0.5, whole["cumulative_logprob"]]
    joined = [item for event in told for item in json.loads(event["logprobs"])]
    assert joined == json.loads(whole["logprobs"])


async def test_several_texts_are_arrays_whole_and_streamed() -> None:
    script = says(" there", "!", logprobs=(-0.5, -1.0))
    whole = await Api(script).answer(n=2, **TOLD)
    assert whole["text_output"] == ["Hi there!"] * 2
    assert whole["finish_reason"] == ["stop"] * 2
    assert whole["cumulative_logprob"] == [-1.5, -3.0]
    assert whole["output_log_probs"] == [-0.5] * 3 + [-1.0] * 3
    assert whole["num_output_tokens"] == [3, 3]
    told = await Api(script).events(n=2, **TOLD)
    texts = ["".join(event["text_output"][index] for event in told) for index in (0, 1)]
    assert texts == [" there!"] * 2
    assert told[0]["text_output"] == [" there", ""]
    assert told[-2]["finish_reason"] == ["stop", "None"]
    assert told[-1]["finish_reason"] == ["stop", "stop"]


async def test_a_prebuilt_event_is_the_models_serialisation() -> None:
    api = Api(SAYS)
    await api.answer()
    event = token(api.engine.request, 0, 'a"\u20ac\n')
    for name in ("", 'i"d'):
        responses = Responses(Envelope(name, 'org/"m"', "1"), {}, 1)
        prebuilt = responses.event(event)
        named = {"id": name} if name else {}
        model = m.GenerateResponse(**named, model_name='org/"m"', model_version="1", text_output=event.text)
        assert prebuilt == model.model_dump_json().encode()


async def test_what_json_has_no_number_for_is_the_least() -> None:
    script = says("a", "b", finish=FinishReason.LENGTH, logprobs=(-math.inf,))
    answer = await Api(script).answer(**TOLD)
    assert answer["output_log_probs"] == [-9999.0, -9999.0]
    assert answer["cumulative_logprob"] == -9999.0


async def test_an_empty_body_of_the_index_is_one_without_conditions() -> None:
    app = Api(SAYS).app
    index = [{"name": "verbatim-demo", "version": "1", "state": "READY", "reason": ""}]
    requests: tuple[dict[str, Any], ...] = ({}, {"json": {}}, {"json": {"ready": True}}, {"content": b"{}"})
    for request in requests:
        response = await send(app, "POST", "/triton/v2/repository/index", **request)
        assert (response.status_code, response.json()) == (200, index)


async def test_probes_of_what_is_there_have_no_body() -> None:
    api = Api(SAYS)
    for path in (
        "/triton/v2/health/live",
        "/triton/v2/health/ready",
        f"{MODEL}/ready",
        f"{MODEL}/versions/1/ready",
    ):
        response = await api.get(path)
        assert (response.status_code, response.content) == (200, b"")


async def test_probes_of_what_is_not_there() -> None:
    api = Api(SAYS)
    statuses = {
        "/other/ready": 400,
        "/verbatim-demo/versions/9/ready": 400,
        "/verbatim-demo/versions/x/ready": 404,
        "/other": 400,
        "/other/config": 400,
        "/other/stats": 400,
        "/verbatim-demo/versions/9": 404,
        "/verbatim-demo/versions/9/config": 404,
    }
    for path, status in statuses.items():
        answer = await api.get(f"/triton/v2/models{path}")
        assert answer.status_code == status, path
        assert list(answer.json()) == ["error"], path


async def test_inputs_and_outputs_are_those_of_the_document() -> None:
    api = Api(SAYS)
    metadata = (await api.get(MODEL)).json()
    inputs = {one["name"]: (one["datatype"], one["shape"]) for one in metadata["inputs"]}
    assert inputs["text_input"] == ("BYTES", [1])
    assert inputs["stop_words"] == ("BYTES", [-1])
    assert (inputs["max_tokens"], inputs["seed"]) == (("INT32", [1]), ("UINT64", [1]))
    assert (inputs["temperature"], inputs["stream"]) == (("FP32", [1]), ("BOOL", [1]))
    assert not {"id", "parameters", "n", "min_p"} & inputs.keys()
    outputs = {one["name"]: (one["datatype"], one["shape"]) for one in metadata["outputs"]}
    assert (outputs["text_output"], outputs["num_input_tokens"]) == (("BYTES", [-1]), ("UINT32", [1]))
    config = (await api.get(f"{MODEL}/config")).json()
    assert [one["name"] for one in config["input"]] == list(inputs)
    assert [one["name"] for one in config["input"] if not one["optional"]] == ["text_input"]
    assert config["model_transaction_policy"] == {"decoupled": True}


async def test_statistics_count_requests_of_every_contract() -> None:
    api = Api(ScriptedEngine(SAYS))
    await api.answer()
    await send(api.app, "POST", "/tgi/generate", json={"inputs": "Hi"})
    await api.refusal_of({})
    for path in ("/triton/v2/models/stats", f"{MODEL}/stats", f"{MODEL}/versions/1/stats"):
        (stats,) = (await api.get(path)).json()["model_stats"]
        assert (stats["name"], stats["version"], stats["inference_count"]) == ("verbatim-demo", "1", 2)
        counts = {kind: durations["count"] for kind, durations in stats["inference_stats"].items()}
        assert (counts["success"], counts["fail"], counts["queue"]) == (2, 1, 2)
        assert stats["inference_stats"]["success"]["ns"] > 0
        assert stats["last_inference"] > 1_700_000_000_000


async def test_the_server_tells_what_it_is() -> None:
    metadata = (await Api(SAYS).get("/triton/v2")).json()
    assert metadata["name"] == "verbatim"
    assert "generate" in metadata["extensions"]
