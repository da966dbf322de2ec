import pytest
from tritonclient.http import InferenceServerClient
from tritonclient.utils import InferenceServerException

MODEL = "verbatim-demo"


@pytest.fixture
def client(server_url):
    with InferenceServerClient(server_url.removeprefix("http://")) as client:
        yield client


def test_server_and_model_are_alive_and_ready(client):
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready(MODEL)
    assert client.is_model_ready(MODEL, "1")
    assert not client.is_model_ready(MODEL, "2")
    assert not client.is_model_ready("other")


def test_server_and_model_tell_what_they_are(client):
    assert "generate" in client.get_server_metadata()["extensions"]
    metadata = client.get_model_metadata(MODEL, "1")
    assert (metadata["name"], metadata["versions"]) == (MODEL, ["1"])
    config = client.get_model_config(MODEL)
    assert [one["name"] for one in config["input"]] == [one["name"] for one in metadata["inputs"]]
    assert client.get_model_repository_index() == [
        {"name": MODEL, "version": "1", "state": "READY", "reason": ""}
    ]


@pytest.mark.parametrize("name", ["", MODEL])
def test_statistics_are_of_the_one_model(client, name):
    (stats,) = client.get_inference_statistics(name)["model_stats"]
    assert (stats["name"], stats["version"]) == (MODEL, "1")


def test_a_model_that_is_not_there_is_told_in_the_servers_words(client):
    with pytest.raises(InferenceServerException, match="unknown model: 'other' is not found") as raised:
        client.get_model_metadata("other")
    assert raised.value.status() == "400"
