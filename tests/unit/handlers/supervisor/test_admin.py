"""The admin API starts and stops models for who has its key, and for nobody else."""

import pytest

from handlers.supervisor.model import State
from tests.unit.handlers.supervisor.conftest import ADMIN, Supervisor, running_supervisor


@pytest.mark.parametrize(
    ("method", "name"),
    [
        *(("GET", name) for name in ("models", "is_sleeping")),
        *(("POST", name) for name in ("load", "unload", "sleep", "wake", "wake_up")),
    ],
)
async def test_each_operation_asks_for_the_key(supervisor: Supervisor, method: str, name: str) -> None:
    for headers in ({}, {"authorization": "Bearer wrong"}, {"x-api-key": "admin-secret"}):
        answer = await supervisor.client.request(method, f"/admin/{name}?model=a", headers=headers)
        assert (answer.status_code, answer.json()) == (401, {"error": "Missing or wrong API key"})
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_without_a_key_there_is_no_such_api() -> None:
    async with running_supervisor(admin_key=None) as supervisor:
        assert (await supervisor.client.get("/admin/models", headers=ADMIN)).status_code == 404


async def test_the_admin_key_is_enough_where_all_paths_ask_for_a_key() -> None:
    async with running_supervisor(api_key="secret", require_key="all") as supervisor:
        assert (await supervisor.client.get("/admin/models", headers=ADMIN)).status_code == 200
        assert (await supervisor.client.get("/v1/models", headers=ADMIN)).status_code == 401


async def test_models_are_loaded_listed_and_unloaded(supervisor: Supervisor) -> None:
    async def listed() -> dict[str, tuple[str, bool]]:
        answer = (await supervisor.client.get("/admin/models", headers=ADMIN)).json()
        return {each["name"]: (each["state"], each["memory_bytes"] > 0) for each in answer["models"]}

    assert (await supervisor.client.post("/admin/load?model=a", headers=ADMIN)).status_code == 200
    assert (await listed())["a"] == ("running", True)
    assert (await supervisor.client.post("/admin/unload?model=a", headers=ADMIN)).status_code == 200
    assert (await listed())["a"] == ("stopped", True)
    assert (await listed())["fails"] == ("stopped", False)


async def test_a_load_that_fails_is_told(supervisor: Supervisor) -> None:
    answer = await supervisor.client.post("/admin/load?model=fails", headers=ADMIN)
    assert answer.status_code == 503
    assert answer.json()["error"].endswith("cannot be started: there is no such model")


@pytest.mark.parametrize(
    ("path", "status", "error"),
    [
        ("load", 400, "model: is missing"),
        ("load?model=x", 404, "There is no model 'x'; there are: a, b/c, fails"),
        ("sleep?model=x", 404, "There is no model 'x'; there are: a, b/c, fails"),
        ("sleep?level=3", 400, "level: must be less than or equal to 2"),
    ],
)
async def test_what_it_cannot_do_is_refused(
    supervisor: Supervisor, path: str, status: int, error: str
) -> None:
    answer = await supervisor.client.post(f"/admin/{path}", headers=ADMIN)
    assert (answer.status_code, answer.json()) == (status, {"error": error})


async def test_a_path_of_no_operation_is_told_the_base_url(supervisor: Supervisor) -> None:
    answer = await supervisor.client.post("/admin/nothing", headers=ADMIN)
    assert answer.status_code == 404
    assert "Nothing is served at /admin/nothing; the base URL of the contract admin" in answer.json()["error"]


async def test_the_contract_is_served_where_it_is_kept() -> None:
    async with running_supervisor() as supervisor:
        document = (await supervisor.client.get("/admin/openapi.json")).json()
        assert document["info"]["title"] == "Admin API"
    async with running_supervisor(admin_key=None) as supervisor:
        assert (await supervisor.client.get("/admin/openapi.json")).status_code == 404


async def test_a_sleeping_server_refuses_requests_until_it_is_woken() -> None:
    async with running_supervisor() as supervisor:
        client = supervisor.client
        await client.get("/info")
        await client.post("/admin/sleep?level=1", headers=ADMIN)
        assert (await client.get("/admin/is_sleeping", headers=ADMIN)).json() == {"is_sleeping": True}
        assert supervisor.model("a").state is State.STOPPED
        refused = await client.get("/info")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        await client.post("/admin/wake_up", headers=ADMIN)
        assert supervisor.model("a").state is State.RUNNING
        assert supervisor.model("b/c").state is State.STOPPED
        assert (await client.get("/admin/is_sleeping", headers=ADMIN)).json() == {"is_sleeping": False}
        assert (await client.get("/info")).status_code == 200
