"""Files: what is stored, found, listed and deleted, by whom, and within which bounds."""

import os
from typing import Any

import pytest

from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.openai.batches.shop import shop

HOUR = 3600


async def test_a_file_is_found_with_its_bytes_until_it_is_deleted() -> None:
    content = os.urandom(2_500_000)
    async with shop(says("x")) as here:
        file = await here.upload(content, "user_data")
        assert (file["bytes"], file["filename"], file["expires_at"]) == (len(content), "requests.jsonl", None)
        assert await here.answer("GET", f"/files/{file['id']}") == file
        response = await here.ask("GET", f"/files/{file['id']}/content")
        assert response.headers["content-type"] == "application/octet-stream"
        assert response.headers["content-length"] == str(len(content))
        assert response.content == content
        deleted = await here.answer("DELETE", f"/files/{file['id']}")
        assert deleted == {"id": file["id"], "object": "file", "deleted": True}
        for method, path in (("GET", ""), ("GET", "/content"), ("DELETE", "")):
            refused = await here.ask(method, f"/files/{file['id']}{path}")
            assert refused.status_code == 404
            assert refused.json()["error"]["message"] == f"No such File object: {file['id']}"


async def test_an_empty_file_has_no_bytes() -> None:
    async with shop(says("x")) as here:
        file = await here.upload(b"")
        assert file["bytes"] == 0
        assert (await here.ask("GET", f"/files/{file['id']}/content")).content == b""


async def test_files_expire_when_they_are_told_to_and_those_of_batches_after_a_month() -> None:
    async with shop(says("x")) as here:
        told = {"expires_after[anchor]": "created_at", "expires_after[seconds]": str(HOUR)}
        file = await here.upload(b"a", "user_data", **told)
        assert file["expires_at"] - file["created_at"] == HOUR
        file = await here.upload(b"a")
        assert file["expires_at"] - file["created_at"] == 30 * 24 * HOUR


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"purpose": "fine-tune"}, "purpose"),
        ({}, "purpose"),
        ({"purpose": "batch", "other": "1"}, "other"),
        ({"purpose": "batch", "expires_after[anchor]": "created_at"}, "expires_after[seconds]"),
        (
            {"purpose": "batch", "expires_after[anchor]": "created_at", "expires_after[seconds]": "1"},
            "expires_after[seconds]",
        ),
        ({"purpose": "batch", "expires_after": "never"}, "expires_after"),
    ],
)
async def test_a_wrong_field_is_refused_by_name(fields: dict[str, str], param: str) -> None:
    async with shop(says("x")) as here:
        refused = await here.ask("POST", "/files", files={"file": ("a", b"a")}, data=fields)
        assert (refused.status_code, refused.json()["error"]["param"]) == (400, param)


async def test_files_are_listed_page_by_page() -> None:
    async with shop(says("x")) as here:
        batch, *others = [await here.upload(b"a", purpose) for purpose in ("batch", "user_data", "user_data")]
        newest_first = [others[1], others[0], batch]

        async def page(**query: Any) -> Any:
            return await here.answer("GET", "/files", params=query)

        whole = await page()
        assert whole["data"] == newest_first and whole["has_more"] is False
        assert (whole["first_id"], whole["last_id"]) == (others[1]["id"], batch["id"])
        assert (await page(order="asc"))["data"] == newest_first[::-1]
        first = await page(limit=1)
        assert first["data"] == newest_first[:1] and first["has_more"] is True
        assert (await page(after=first["last_id"]))["data"] == newest_first[1:]
        assert (await page(after=others[0]["id"], order="asc"))["data"] == [others[1]]
        assert (await page(purpose="batch"))["data"] == [batch]
        assert (await page(purpose="vision"))["data"] == []
        refused = await here.ask("GET", "/files", params={"after": "file-0"})
        assert (refused.status_code, refused.json()["error"]["param"]) == (400, "after")
        assert (await here.ask("GET", "/files", params={"limit": 10_001})).status_code == 400


async def test_more_than_there_is_room_for_is_refused_and_leaves_nothing() -> None:
    async with shop(says("x"), store_file_megabytes=3) as here:
        file = await here.upload(bytes(1_500_000))
        refused = await here.ask(
            "POST", "/files", files={"file": bytes(1_600_000)}, data={"purpose": "batch"}
        )
        assert (refused.status_code, refused.json()["error"]["code"]) == (413, "storage_limit_exceeded")
        assert (await here.answer("GET", "/files"))["data"] == [file]
        await here.answer("DELETE", f"/files/{file['id']}")
        await here.upload(bytes(1_600_000))


async def test_a_longer_file_than_the_server_takes_is_refused() -> None:
    async with shop(says("x"), upload_limit=10_000) as here:
        refused = await here.ask("POST", "/files", files={"file": bytes(20_000)}, data={"purpose": "batch"})
        assert refused.status_code == 413


async def test_a_server_that_stores_nothing_has_no_files_and_batches() -> None:
    async with shop(says("x"), no_store=True) as here:
        refused = await here.ask("POST", "/files", files={"file": b"a"}, data={"purpose": "batch"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "store_disabled")
        body = {"input_file_id": "file-0", "endpoint": "/v1/embeddings", "completion_window": "24h"}
        refused = await here.ask("POST", "/batches", json=body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "store_disabled")
        for path in ("/files", "/batches"):
            assert (await here.answer("GET", path))["data"] == []
            assert (await here.ask("GET", f"{path}?after=x")).status_code == 400
            assert (await here.ask("GET", f"{path}/x")).status_code == 404
