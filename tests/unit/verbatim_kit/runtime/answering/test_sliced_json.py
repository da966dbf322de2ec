"""A large model's text is the same in slices as in one piece."""

from pydantic import MISSING, BaseModel, Field, TypeAdapter

from verbatim_kit.runtime.answering.sliced_json import is_large, to_json_in_slices


class Score(BaseModel):
    token: str
    logprob: float | None


class Choice(BaseModel):
    index: int
    text: str
    scores: list[Score] | None
    absent: int | MISSING = MISSING
    from_: str = Field("é", serialization_alias="from")


class Answer(BaseModel):
    absent: int | MISSING = MISSING
    id: str
    choices: list[Choice]
    usage: Score
    empty: list[Score] = []


def _answer(num_scores: int) -> Answer:
    scores = [Score(token=f'"{number}\\\n', logprob=-number / 7) for number in range(num_scores)]
    choices = [Choice(index=0, text="{}", scores=scores), Choice(index=1, text="]", scores=None)]
    return Answer(id='"choices":[]', choices=choices, usage=Score(token="", logprob=None))


def test_the_text_is_that_of_the_model() -> None:
    for num_scores in (0, 3, 5_000):
        answer = _answer(num_scores)
        assert to_json_in_slices(answer) == answer.model_dump_json(by_alias=True).encode()


def test_a_list_of_models_is_written_as_its_type_is() -> None:
    scores = _answer(3_000).choices[0].scores
    assert scores is not None
    assert to_json_in_slices(scores) == TypeAdapter(list[Score]).dump_json(scores)


def test_models_are_large_by_how_many_they_are() -> None:
    assert not is_large(_answer(900))
    assert is_large(_answer(1_100))
    assert is_large([Score(token="", logprob=None)] * 1_100)
    assert not is_large(["a"] * 10_000)
