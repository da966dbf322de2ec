"""The pages that the server shows of its contracts: whole in a browser that reaches no other machine."""

import json
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Page, expect

from handlers import composition

GENERATED: Final = Path(__file__).parents[2] / "generated"
CONTRACTS: Final = sorted(composition.CONTRACTS)


def num_operations(contract: str) -> int:
    document = json.loads((GENERATED / contract / "openapi.json").read_text(encoding="utf-8"))
    methods = {"get", "put", "post", "delete", "patch"}
    return sum(len(methods & set(item)) for item in document["paths"].values())


async def test_the_list_leads_to_every_contract(page: Page, server_url: str) -> None:
    await page.goto(f"{server_url}/docs")
    # Chromium asks for it on its own where a page names no icon, and tells no listener.
    assert await page.locator("link[rel=icon]").count() == 1
    for contract in CONTRACTS:
        await expect(page.get_by_role("link", name=contract, exact=True)).to_be_visible()
    await page.get_by_role("link", name="tgi", exact=True).click()
    await expect(page.locator(".opblock")).to_have_count(num_operations("tgi"))


@pytest.mark.parametrize("contract", CONTRACTS)
async def test_a_page_shows_every_operation(page: Page, server_url: str, contract: str) -> None:
    await page.goto(f"{server_url}/{contract}/docs")
    await expect(page.locator(".opblock")).to_have_count(num_operations(contract))


async def test_an_operation_is_tried_from_the_page(page: Page, server_url: str) -> None:
    await page.goto(f"{server_url}/tgi/docs")
    block = page.locator(".opblock", has=page.locator("[data-path='/generate']")).first
    await block.locator(".opblock-summary-control").click()
    await block.get_by_role("button", name="Try it out").click()
    await block.get_by_role("button", name="Execute").click()
    await expect(block.locator(".live-responses-table tbody .response-col_status").first).to_contain_text(
        "200"
    )
