"""The playground as a person uses it."""

import json
from typing import Any

from playwright.async_api import Locator, Page, expect

_HAND_OVER = """([selector, base64, event]) => {
  const data = new DataTransfer();
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  data.items.add(new File([bytes], "picture.png", { type: "image/png" }));
  const way = { bubbles: true, cancelable: true };
  const made = event === "drop"
    ? new DragEvent("drop", { ...way, dataTransfer: data })
    : new ClipboardEvent("paste", { ...way, clipboardData: data });
  document.querySelector(selector).dispatchEvent(made);
}"""


class Bench:
    """One playground in one page."""

    def __init__(self, page: Page, server_url: str) -> None:
        self.page = page
        self.url = f"{server_url}/playground"

    async def open(self, contract: str, operation: str) -> None:
        await self.page.goto(f"{self.url}#{contract}/{operation}")
        await expect(self.page.locator(f'[data-contract="{contract}"]')).to_have_attribute(
            "aria-selected", "true"
        )

    async def write(self, body: object) -> None:
        """The body as JSON, typed into the page's own field."""
        await self.page.fill("#json", json.dumps(body))

    async def send(self) -> None:
        """Sends, and waits until the answer has ended."""
        await self.page.click("#send")
        await expect(self.page.locator("#answer")).to_have_attribute("aria-busy", "false", timeout=60_000)

    async def ask(self, contract: str, operation: str, body: object) -> None:
        await self.open(contract, operation)
        await self.write(body)
        await self.send()

    async def hand_over(self, selector: str, picture: str, way: str) -> None:
        """Drop or paste a picture, a PNG in base64, where the selector says. way: "drop" or "paste"."""
        await self.page.evaluate(_HAND_OVER, [selector, picture, way])

    def field(self, path: str) -> Locator:
        return self.page.locator(f'[data-path="{path}"]')

    @property
    def status(self) -> Locator:
        return self.page.locator("#answer .status")

    async def written(self) -> Any:
        """The body that would be sent."""
        return json.loads(await self.page.input_value("#json"))

    async def chips(self) -> dict[str, str]:
        """Return the measured and counted figures by name."""
        chips = await self.page.locator(".chip").all()
        return {
            str(await one.get_attribute("data-chip")): await one.locator("strong").inner_text()
            for one in chips
        }
