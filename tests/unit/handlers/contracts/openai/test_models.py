"""The models that the server has."""

from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.openai.api import MODEL, MODELS, Api, Refusal


async def test_the_list_holds_the_served_model_under_its_own_name() -> None:
    listed = (await Api(says("x")).get(MODELS)).json()
    assert listed["object"] == "list"
    (model,) = listed["data"]
    assert isinstance(model.pop("created"), int)
    assert model == {
        "id": MODEL,
        "object": "model",
        "owned_by": "verbatim",
        "max_model_len": 200,
        "root": MODEL,
        "parent": None,
    }


async def test_a_model_is_found_under_its_name_and_its_aliases() -> None:
    api = Api(says("x"), model_alias=["tgi", "org/name"])
    listed = (await api.get(MODELS)).json()["data"]
    assert (await api.get(f"{MODELS}/{MODEL}")).json() == listed[0]
    assert (await api.get(f"{MODELS}/tgi")).json() == listed[1]
    for name, path in (("tgi", "tgi"), ("org/name", "org/name"), ("org/name", "org%2Fname")):
        found = (await api.get(f"{MODELS}/{path}")).json()
        assert (found["id"], found["root"]) == (name, MODEL)


async def test_another_is_404() -> None:
    response = await Api(says("x")).get(f"{MODELS}/gpt-9")
    error = response.json()["error"]
    told = Refusal(response.status_code, error["code"], error["param"])
    assert told == Refusal(404, "model_not_found", "model")
