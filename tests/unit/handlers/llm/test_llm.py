"""The Python interface: answers of the OpenAI contract in the order of the requests, refusals by name."""

import asyncio
import os
import threading
from collections.abc import Iterator, Sequence

import pytest
from pydantic import BaseModel

from verbatim_server import LLM, Refused


class Person(BaseModel):
    name: str
    age: int


@pytest.fixture(scope="module", autouse=True)
def environment() -> Iterator[None]:
    """Give other tests the variables back that libraries read, and which a start sets."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def llm() -> Iterator[LLM]:
    with LLM(max_total_tokens=256, max_concurrent_requests=4) as loaded:
        yield loaded


def test_answers_come_in_the_order_of_the_prompts(llm: LLM) -> None:
    prompts: list[str | Sequence[int]] = ["The capital", "Once upon", [5, 6, 7], "The capital"]
    together = llm.generate(prompts, progress=False, max_tokens=6, temperature=0)
    apart = [llm.generate([prompt], progress=False, max_tokens=6, temperature=0)[0] for prompt in prompts]
    assert [answer.choices[0].text for answer in together] == [answer.choices[0].text for answer in apart]
    assert together[0].choices[0].text != together[1].choices[0].text


def test_more_requests_than_may_run_at_once_wait(llm: LLM) -> None:
    answers = llm.generate(["a"] * 20, progress=False, max_tokens=2, n=2)
    assert [len(answer.choices) for answer in answers] == [2] * 20


def test_one_conversation_is_a_list_of_one(llm: LLM) -> None:
    messages = [{"role": "user", "content": "Hello"}]
    one = llm.chat(messages, progress=False, max_tokens=8, temperature=0)
    several = llm.chat([messages, messages], progress=False, max_tokens=8, temperature=0, logprobs=True)
    assert len(one) == 1 and len(several) == 2
    assert several[1].choices[0].message.content == one[0].choices[0].message.content
    assert several[1].choices[0].logprobs is not None


def test_a_class_of_pydantics_stands_for_its_schema(llm: LLM) -> None:
    messages = [{"role": "user", "content": "Ada is 36."}]
    answer = llm.chat(messages, progress=False, response_format=Person, max_tokens=100)[0].choices[0]
    assert answer.finish_reason == "stop"
    Person.model_validate_json(answer.message.content or "")


def test_texts_are_embedded(llm: LLM) -> None:
    first, second, again = llm.embed(["a text", "another", "a text"], progress=False)
    assert first == pytest.approx(again, abs=1e-5) and first != pytest.approx(second, abs=1e-3)


def test_a_refusal_names_the_request_and_the_field(llm: LLM) -> None:
    with pytest.raises(Refused, match="request 0: Unknown parameter: 'wrong'") as refused:
        llm.generate(["a", "b"], progress=False, wrong=1)
    assert refused.value.status == 400 and refused.value.param == "wrong" and refused.value.index == 0
    assert llm.generate("a", progress=False, max_tokens=1)  # and the model goes on


def test_it_works_within_a_running_event_loop(llm: LLM) -> None:
    async def cell_of_a_notebook() -> int:
        return len(llm.generate(["a"], progress=False, max_tokens=1))

    assert asyncio.run(cell_of_a_notebook()) == 1


def test_a_progress_bar_counts_the_requests(llm: LLM, capsys: pytest.CaptureFixture[str]) -> None:
    llm.generate(["a", "b"], max_tokens=1)
    assert "2/2" in capsys.readouterr().err


def test_requests_leave_no_line_in_the_log(llm: LLM, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        llm.generate(["a"], progress=False, max_tokens=2)
    assert not [line for line in caplog.messages if "createCompletion" in line]


def test_an_unknown_setting_is_refused_before_anything_is_loaded() -> None:
    with pytest.raises(ValueError, match="max_model_length is no setting"):
        LLM(max_model_length=5)


def test_a_model_that_cannot_be_loaded_leaves_no_thread(tmp_path: object) -> None:
    before = threading.active_count()
    with pytest.raises(Exception, match="no_such_directory"):
        LLM(f"{tmp_path}/no_such_directory")
    assert threading.active_count() <= before
