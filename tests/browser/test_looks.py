"""The pages at the widths of a phone and a desk, in light and dark: whole, readable, nothing cut off."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser.bench import Bench

WIDTHS = (390, 1280)
SCHEMES = ("light", "dark")
# Of text against what is behind it: WCAG 2.2, 1.4.3.
LEAST_CONTRAST = 4.5

# Every visible text with its contrast, by WCAG's formula; colours as the browser blends them on a canvas.
_CONTRASTS = """() => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const blend = (colours) => {
    context.clearRect(0, 0, 1, 1);
    for (const [colour, alpha] of colours) {
      context.globalAlpha = alpha;
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
    }
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const linear = (one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb.map((one) => linear(one / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const around = (element) => (element ? [...around(element.parentElement), element] : []);
  const contrast = (element, style) => {
    const path = around(element);
    const behind = [["canvas", 1], ...path.map((one) => [getComputedStyle(one).backgroundColor, 1])];
    const alpha = path.reduce((product, one) => product * getComputedStyle(one).opacity, style.opacity || 1);
    const colours = [blend(behind), blend([...behind, [style.color, alpha]])];
    const [light, dark] = colours.map(luminance).sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    if (element.matches(":disabled, noscript, option, optgroup")) continue;
    const own = [...element.childNodes].some((one) => one.nodeType === Node.TEXT_NODE && one.data.trim());
    const styles = [own || element.matches("input, select, textarea") ? getComputedStyle(element) : null];
    if (element.placeholder) styles.push(getComputedStyle(element, "::placeholder"));
    const before = getComputedStyle(element, "::before");
    if (/^"\\S/.test(before.content)) styles.push(before);
    for (const style of styles.filter(Boolean)) {
      const name = `${element.tagName}.${element.className} ${element.textContent.slice(0, 40)}`;
      found.push([contrast(element, style), name]);
    }
  }
  return found;
}"""

# What reaches over the right edge of the window, or is cut off by an element that does not scroll.
_CUT_OFF = """() => [...document.body.querySelectorAll("*")].filter((one) => {
  if (!one.checkVisibility() || one.closest("svg, .offscreen")) return false;
  const { right, width } = one.getBoundingClientRect();
  const { overflowX, webkitLineClamp } = getComputedStyle(one);
  const isHidden = ["hidden", "clip"].includes(overflowX) && webkitLineClamp === "none";
  const isCut = isHidden && one.scrollWidth > one.clientWidth + 1;
  return width > 0 && (right > innerWidth + 1 || isCut);
}).map((one) => `${one.tagName}.${one.className} ${one.textContent.slice(0, 40)}`)"""


async def assert_looks(page: Page) -> None:
    """Assert that the page is whole and its text readable."""
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert await page.evaluate(_CUT_OFF) == []
    contrasts = await page.evaluate(_CONTRASTS)
    assert len(contrasts) > 10
    assert [one for one in contrasts if one[0] < LEAST_CONTRAST] == []


@pytest.fixture(params=[(width, scheme) for width in WIDTHS for scheme in SCHEMES], ids=str)
async def window(page: Page, request: pytest.FixtureRequest) -> Page:
    """Return a page of one of the widths and schemes."""
    width, scheme = request.param
    await page.set_viewport_size({"width": width, "height": 844})
    await page.emulate_media(color_scheme=scheme)
    return page


async def test_the_chat_looks_right(window: Page, server_url: str, complaints: list[str]) -> None:
    await window.goto(server_url)
    await expect(window.locator("#send")).to_be_enabled()
    await assert_looks(window)
    for text in ("Hello! " + "wide" * 60, "long " * 600):
        await window.locator("#say").fill(text)
        await window.keyboard.press("Enter")
        await expect(window.locator("#log")).to_have_attribute("aria-busy", "false")
    await expect(window.locator(".error")).to_have_count(2)
    await assert_looks(window)
    complaints.clear()


async def test_the_playground_looks_right(window: Page, server_url: str) -> None:
    bench = Bench(window, server_url)
    await bench.open("openai", "createChatCompletion")
    await bench.send()
    await assert_looks(window)


async def test_the_list_of_contracts_looks_right(window: Page, server_url: str) -> None:
    await window.goto(f"{server_url}/docs")
    await assert_looks(window)


async def test_a_contracts_page_follows_the_scheme_and_fits(window: Page, server_url: str) -> None:
    """Its colours and small print are those of Swagger UI: only what the page itself decides is judged."""
    await window.goto(f"{server_url}/tgi/docs")
    await expect(window.locator(".opblock").first).to_be_visible()
    assert await window.evaluate("document.documentElement.scrollWidth <= innerWidth")
    is_dark = await window.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    ground = await window.evaluate("getComputedStyle(document.querySelector('.swagger-ui')).backgroundColor")
    assert (ground == "rgb(28, 32, 34)") == is_dark
    widths = await window.locator(".opblock-tag small").evaluate_all("all => all.map(one => one.clientWidth)")
    assert min(widths) > 200, "the description of a tag has room"


@pytest.mark.parametrize(
    ("contract", "operation"),
    [
        ("openai", "createChatCompletion"),
        ("openai", "createResponse"),
        ("tgi", "chat_completions"),
        ("hf", "chatCompletions"),
        ("aleph_alpha", "chatCompletions"),
        ("anthropic", "createMessage"),
    ],
)
async def test_the_first_example_of_a_chat_is_not_cut_off(
    page: Page, server_url: str, contract: str, operation: str
) -> None:
    bench = Bench(page, server_url)
    await bench.open(contract, operation)
    await expect(page).to_have_url(f"{bench.url}#{contract}/{operation}")
    await bench.send()
    finish = await page.locator(".finish").inner_text()
    assert finish in ("stop", "end_turn", "completed")


async def test_numbers_stay_on_their_line(page: Page, server_url: str) -> None:
    bench = Bench(page, server_url)
    await bench.open("openai", "createChatCompletion")
    await bench.send()
    boxes: list[Any] = await page.locator(".facts dd").evaluate_all(
        "all => all.map(one => [one.textContent, one.offsetHeight])"
    )
    assert {"prompt_tokens", "prompt_tokens_details.cached_tokens"} <= set(
        await page.locator(".facts dt").all_inner_texts()
    )
    assert all(height < 30 for _, height in boxes), boxes


async def test_the_plots_have_an_axis_of_time(page: Page, server_url: str) -> None:
    await page.goto(f"{server_url}/playground")
    axes = await page.locator(".plot-axis").all_inner_texts()
    assert [one.split("\n") for one in axes] == [["−2 min", "−1 min", "now"]] * 4
