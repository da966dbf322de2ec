"""The playground in a browser: what is chosen, edited, sent, streamed, stopped and shown."""

import asyncio
import json
import re
from base64 import b64decode, b64encode
from typing import Any

import httpx
import pytest
from playwright.async_api import FilePayload, Page, expect

from handlers.composition import CONTRACTS
from tests.browser.bench import Bench

WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}

# The served model takes no speech, the page has no file to send, and ids of what is stored are random.
REFUSED = {
    **dict.fromkeys(
        ("createTranscription", "createTranslation", "createFile", "createBatch"), "400 Bad Request"
    ),
    **dict.fromkeys(
        (
            *("getResponse", "deleteResponse", "cancelResponse", "listInputItems"),
            *("getConversation", "updateConversation", "deleteConversation"),
            *("listConversationItems", "createConversationItems"),
            *("getConversationItem", "deleteConversationItem"),
            *("retrieveFile", "deleteFile", "downloadFile", "retrieveBatch", "cancelBatch"),
        ),
        "404 Not Found",
    ),
}


def chat(text: str, **more: object) -> dict[str, object]:
    """Return a chat body for any contract whose chat is OpenAI's."""
    return {"model": "verbatim-demo", "messages": [{"role": "user", "content": text}], **more}


@pytest.fixture
def bench(page: Page, server_url: str) -> Bench:
    return Bench(page, server_url)


async def test_a_person_chooses_edits_and_sends_and_the_answer_streams_in(bench: Bench) -> None:
    page = bench.page
    await page.goto(bench.url)
    await page.click('[data-contract="tgi"]')
    await page.select_option("#operation", label="POST /generate_stream")
    await bench.field("inputs").locator("textarea").fill("Once upon a time")
    await bench.field("parameters.max_new_tokens").locator("input").fill("9")
    await bench.page.locator("details.more").first.locator("summary").click()
    await bench.field("parameters.details").locator("select").select_option(label="true")
    parameters = {"max_new_tokens": 9, "details": True}
    assert await bench.written() == {"inputs": "Once upon a time", "parameters": parameters}
    await bench.send()
    await expect(bench.status).to_have_text("200 OK")
    assert (await page.inner_text(".segment.text")).strip()
    await expect(page.locator(".finish")).to_have_text("length")
    chips = await bench.chips()
    assert chips["tokens"] == "9"
    assert re.fullmatch(r"\d+ ms|[\d.]+ s", chips["first token"])
    assert float(chips["tokens/s"]) > 0
    assert page.url.endswith("#tgi/generate_stream"), "the address leads back to the operation"


async def test_every_operation_of_every_contract_answers_what_the_page_prefills(
    bench: Bench, complaints: list[str]
) -> None:
    """Contracts that come later too: the page knows none by name."""
    page = bench.page
    await page.goto(bench.url)
    await expect(page.locator("#operation option").first).to_be_attached()
    names = await page.locator("[data-contract]").all_inner_texts()
    assert names == list(CONTRACTS)
    for name in names:
        await page.click(f'[data-contract="{name}"]')
        await expect(page.locator(f'[data-contract="{name}"]')).to_have_attribute("aria-selected", "true")
        for operation in await page.locator("#operation option").evaluate_all(
            "all => all.map(one => one.value)"
        ):
            await page.select_option("#operation", operation)
            await expect(page).to_have_url(re.compile(f"#{name}/{operation}$"))
            await expect(page.locator("#problem-count")).to_be_hidden()
            await bench.send()
            if operation in REFUSED:
                await expect(bench.status).to_have_text(REFUSED[operation])
                complaints.clear()
                continue
            await expect(bench.status, f"{name} {operation}").to_have_text("200 OK")
            shown = page.locator("#answer :is(.choice, .value > *, .facts > *)")
            assert await shown.count(), f"nothing is shown of {name} {operation}"


async def test_the_form_and_the_json_are_in_step(bench: Bench) -> None:
    await bench.open("openai", "createChatCompletion")
    await bench.write(chat("Hi", temperature=0.5))
    temperature = bench.field("temperature").locator("input")
    await expect(temperature).to_have_value("0.5")
    await temperature.fill("1.25")
    await bench.page.get_by_label("content of message 1").fill("Hello!")
    await bench.page.get_by_role("button", name="+ message").click()
    await bench.field("logprobs").locator("select").select_option(label="true")
    await bench.field("stream_options.include_usage").locator("select").select_option(label="true")
    answer = {"role": "assistant", "content": ""}
    body = chat("Hello!", temperature=1.25, logprobs=True, stream_options={"include_usage": True})
    assert await bench.written() == {**body, "messages": [{"role": "user", "content": "Hello!"}, answer]}
    await temperature.fill("")
    await bench.field("stream_options.include_usage").locator("select").select_option(index=0)
    assert not {"temperature", "stream_options"} & set(await bench.written()), "what is empty is not sent"


async def test_a_wrong_value_is_marked_with_its_bound_before_it_is_sent(bench: Bench) -> None:
    await bench.open("openai", "createChatCompletion")
    for value, complaint in (("7", "must be at most 2"), ("warm", "must be a number or null")):
        await bench.field("temperature").locator("input").fill(value)
        await expect(bench.field("temperature").locator(".problem")).to_have_text(complaint)
        await expect(bench.page.locator("#problem-count")).to_contain_text("1 value")
    await bench.field("temperature").locator("input").fill("1")
    await expect(bench.field("temperature").locator(".problem")).to_be_hidden()
    await bench.page.fill("#json", "{")
    await expect(bench.page.locator("#json-problem")).to_contain_text("This is not JSON")


@pytest.mark.parametrize(
    ("contract", "operation", "body", "status", "path", "said"),
    [
        (
            "openai",
            "createChatCompletion",
            chat("Hi", temperature=7),
            400,
            "temperature",
            "less than or equal to 2",
        ),
        ("openai", "createCompletion", {"model": "nobody", "prompt": "a"}, 404, "model", "nobody"),
        ("tgi", "generate", {"inputs": "a", "parameters": {"top_p": 3}}, 422, "parameters.top_p", "top_p"),
        (
            "hf",
            "generate",
            {"inputs": "a", "parameters": {"temperature": -1}},
            400,
            "parameters.temperature",
            "must",
        ),
        (
            "triton",
            "generate",
            {"text_input": "a", "parameters": {"top_p": 3}},
            400,
            "parameters.top_p",
            "top_p",
        ),
        ("aleph_alpha", "complete", {"model": "verbatim-demo", "prompt": "a", "n": 0}, 400, "n", "must"),
        (
            "anthropic",
            "createMessage",
            chat("Hi", temperature=9, max_tokens=9),
            400,
            "temperature",
            "less than or equal to 1",
        ),
        (
            "mindie",
            "chatCompletions",
            chat("Hi", temperature=9),
            422,
            "temperature",
            "less than or equal to 2",
        ),
    ],
)
async def test_an_error_is_shown_as_the_contract_words_it_and_at_the_field(
    bench: Bench,
    complaints: list[str],
    contract: str,
    operation: str,
    body: object,
    status: int,
    path: str,
    said: str,
) -> None:
    await bench.ask(contract, operation, body)
    await expect(bench.status).to_contain_text(str(status))
    await expect(bench.page.locator("#answer .error pre")).to_contain_text('"error"')
    problem = bench.field(path).locator(":scope > .problem")
    await expect(problem).to_contain_text("The server: ")
    await expect(problem).to_contain_text(said)
    assert all(str(status) in one for one in complaints), complaints
    complaints.clear()


async def test_stopping_ends_the_answer_here_and_the_generation_there(
    bench: Bench, complaints: list[str]
) -> None:
    await bench.open("openai", "createCompletion")
    body = {"model": "verbatim-demo", "prompt": "a", "max_tokens": 480, "ignore_eos": True, "stream": True}
    await bench.write(body)
    await bench.page.click("#send")
    await expect(bench.page.locator(".segment.text")).not_to_be_empty()
    await bench.page.click("#stop")
    await expect(bench.status).to_have_text("200 OK · stopped")
    await expect(bench.page.locator("#send")).to_be_visible()
    assert int((await bench.chips())["pieces"]) < 470
    async with asyncio.timeout(10), httpx.AsyncClient() as client:
        while (await client.get(f"{bench.url}/state")).json()["num_running"]:
            await asyncio.sleep(0.05)
    complaints[:] = [one for one in complaints if "ERR_ABORTED" not in one]


async def test_pointing_at_a_token_tells_its_probability_and_the_alternatives(bench: Bench) -> None:
    body = chat("Hello!", stream=True, logprobs=True, top_logprobs=3, temperature=0, max_completion_tokens=8)
    await bench.ask("openai", "createChatCompletion", body)
    tokens = bench.page.locator(".segment.text .token")
    assert await tokens.count() == 8
    assert "".join(await tokens.all_text_contents()) == await bench.page.text_content(
        ".segment.text .segment-text"
    )
    surprise = await tokens.first.evaluate(
        "one => Number(getComputedStyle(one).getPropertyValue('--surprise'))"
    )
    assert 0 < surprise < 1
    await tokens.first.hover()
    tip = bench.page.locator(".tip:not([hidden])")
    await expect(tip.locator(".tip-head code")).to_have_text(str(await tokens.first.text_content()))
    share = float((await tip.locator(".tip-head strong").inner_text()).rstrip("%")) / 100
    assert share == pytest.approx(1 - surprise, abs=0.001)
    assert await tip.locator(".alternative").count() == 3
    await bench.page.locator(".tokens").focus()
    await bench.page.keyboard.press("ArrowRight")
    await expect(tokens.nth(1)).to_have_class(re.compile("is-current"))


@pytest.mark.parametrize(
    ("contract", "operation", "body"),
    [
        (
            "tgi",
            "generate",
            {"inputs": "Once", "parameters": {"max_new_tokens": 4, "details": True, "top_n_tokens": 2}},
        ),
        ("hf", "generate_stream", None),
        (
            "mindie",
            "chatCompletions",
            chat("Hello!", logprobs=True, top_logprobs=2, max_tokens=4, temperature=0),
        ),
        (
            "aleph_alpha",
            "complete",
            {"model": "verbatim-demo", "prompt": "Once", "maximum_tokens": 4, "log_probs": 2},
        ),
        (
            "triton",
            "generate",
            {
                "text_input": "Once",
                "exclude_input_in_output": True,
                "sampling_parameters": '{"max_tokens": 4, "logprobs": 2}',
                "return_logprobs": True,
            },
        ),
    ],
)
async def test_tokens_are_shown_whatever_the_contract_calls_them(
    bench: Bench, contract: str, operation: str, body: object
) -> None:
    await bench.open(contract, {"generate_stream": "generateStream"}.get(operation, operation))
    if body is not None:
        await bench.write(body)
    await bench.send()
    assert await bench.page.locator(".token:not(.plain)").count() >= 4
    await bench.page.locator(".token").first.hover()
    await expect(bench.page.locator(".tip .tip-head strong")).to_contain_text("%")


async def test_reasoning_and_tool_calls_stand_apart_from_the_text(bench: Bench) -> None:
    body = chat(
        "What is the weather in Oslo?", tools=[WEATHER], temperature=0, reasoning_effort="high", stream=True
    )
    await bench.ask("openai", "createChatCompletion", body)
    call = bench.page.locator(".segment.call")
    await expect(call.locator(".call-name")).to_have_text("get_weather")
    assert json.loads(await call.locator("code").inner_text()) == {"city": "Oslo"}
    await expect(bench.page.locator(".segment.reasoning .segment-text")).to_contain_text("get_weather")
    await expect(bench.page.locator(".segment.text")).to_have_count(0)
    await expect(bench.page.locator(".finish")).to_have_text("tool_calls")


async def test_messages_events_are_read_as_well(bench: Bench) -> None:
    """Blocks of thought and tool use, as Anthropic's contract streams them."""
    weather = {"name": "get_weather", "input_schema": WEATHER["function"]["parameters"]}
    body = chat("What is the weather in Oslo?", max_tokens=80, temperature=0, stream=True, tools=[weather])
    await bench.ask("anthropic", "createMessage", {**body, "thinking": {"type": "adaptive"}})
    await expect(bench.page.locator(".segment.call .call-name")).to_have_text("get_weather")
    assert json.loads(await bench.page.locator(".segment.call code").inner_text()) == {"city": "Oslo"}
    await expect(bench.page.locator(".segment.reasoning")).to_contain_text("get_weather")
    await expect(bench.page.locator(".finish")).to_have_text("tool_use")


async def test_an_error_that_names_a_header_is_shown_at_its_field(
    bench: Bench, complaints: list[str]
) -> None:
    await bench.open("anthropic", "createMessage")
    version = bench.page.locator('[data-parameter="anthropic-version"]')
    await version.locator("input").fill("")
    await expect(version.locator(".problem")).to_have_text("is required")
    await bench.send()
    await expect(version.locator(".problem")).to_contain_text("The server: ")
    complaints.clear()


async def test_a_list_is_written_with_commas_and_sent_an_item_at_a_time(
    bench: Bench, complaints: list[str]
) -> None:
    await bench.open("anthropic", "listModels")
    stages = bench.page.locator('[data-parameter="lifecycle[]"]')
    await stages.locator("input").fill("retired, active")
    await bench.send()
    assert "?lifecycle%5B%5D=retired&lifecycle%5B%5D=active'" in await bench.page.inner_text("#curl")
    await expect(bench.page.locator("#answer")).to_contain_text("verbatim-demo")
    await stages.locator("input").fill("new")
    await bench.send()
    await expect(stages.locator(".problem")).to_contain_text("The server: ")
    complaints.clear()


async def test_a_conversation_goes_on_from_its_answer(bench: Bench) -> None:
    await bench.ask("openai", "createChatCompletion", chat("My name is Ada.", temperature=0))
    said = await bench.page.inner_text(".segment.text .segment-text")
    await bench.page.click("#go-on")
    await bench.page.get_by_label("content of message 3").fill("What is my name?")
    assert (await bench.written())["messages"][1] == {"role": "assistant", "content": said}
    await bench.send()
    await expect(bench.page.locator(".segment.text")).to_contain_text("Ada")


PIXEL = b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003"
        "010100c9fe92ef0000000049454e44ae426082"
    )
).decode()


@pytest.mark.parametrize("way", ["drop", "paste", "dialog"])
@pytest.mark.parametrize(
    ("contract", "operation"),
    [("openai", "createChatCompletion"), ("tgi", "chat_completions"), ("anthropic", "createMessage")],
)
async def test_an_image_becomes_a_part_and_is_shown(
    bench: Bench, contract: str, operation: str, way: str
) -> None:
    page = bench.page
    await bench.open(contract, operation)
    await bench.write(chat("What is this?"))
    row = '[data-path="messages[0]"]'
    if way == "dialog":
        picture = FilePayload(name="pixel.png", mimeType="image/png", buffer=b64decode(PIXEL))
        await page.set_input_files(f"{row} input[type=file]", [picture])
    else:
        await bench.hand_over(f"{row} textarea", PIXEL, way)
    await expect(page.locator(f"{row} img")).to_have_js_property("naturalWidth", 1)
    url = f"data:image/png;base64,{PIXEL}"
    image = {"type": "image_url", "image_url": {"url": url}}
    if contract == "anthropic":
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    text = {"type": "text", "text": "What is this?"}
    assert (await bench.written())["messages"][0]["content"] == [image, text]
    await page.get_by_label("content of message 1").fill("And this?")
    assert (await bench.written())["messages"][0]["content"] == [image, {"type": "text", "text": "And this?"}]
    await page.get_by_label("remove image 1 of message 1").click()
    assert (await bench.written())["messages"][0]["content"] == "And this?"
    await expect(page.locator(f"{row} img")).to_have_count(0)


async def test_an_image_that_the_model_does_not_read_is_refused_at_its_message(
    bench: Bench, complaints: list[str]
) -> None:
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    body = {"model": "verbatim-demo", "messages": [{"role": "user", "content": [image]}]}
    await bench.ask("openai", "createChatCompletion", body)
    await expect(bench.page.locator('[data-path="messages[0]"] .problem')).to_contain_text("only text")
    complaints.clear()


async def test_the_curl_line_does_in_a_shell_what_the_page_does(bench: Bench) -> None:
    body = chat("What's your name?", temperature=0, max_completion_tokens=12)
    await bench.ask("openai", "createChatCompletion", body)
    said = await bench.page.inner_text(".segment.text .segment-text")
    line = await bench.page.inner_text("#curl")
    shell = await asyncio.create_subprocess_exec("sh", "-c", line, stdout=asyncio.subprocess.PIPE)
    told, _ = await shell.communicate()
    assert shell.returncode == 0
    assert json.loads(told)["choices"][0]["message"]["content"].strip() == said


async def test_the_exchange_is_shown_as_it_went_over_the_wire(bench: Bench) -> None:
    await bench.ask("openai", "createChatCompletion", chat("Hi", stream=True, max_completion_tokens=3))
    for summary in ("Response headers", "Raw answer"):
        await bench.page.locator(".raw summary", has_text=summary).click()
    await expect(bench.page.locator("#headers")).to_contain_text("content-type: text/event-stream")
    events = await bench.page.locator("#events .event code").all_inner_texts()
    assert events[-1] == "[DONE]"
    assert all(json.loads(one)["object"] == "chat.completion.chunk" for one in events[:-1])


async def test_the_plots_move_while_the_engine_works(bench: Bench) -> None:
    body = {
        "model": "verbatim-demo",
        "prompt": ["a"] * 8,
        "max_tokens": 400,
        "ignore_eos": True,
        "stream": True,
    }
    await bench.ask("openai", "createCompletion", body)
    assert await bench.page.locator(".choice").count() == 8

    async def keep_busy() -> None:
        async with httpx.AsyncClient(timeout=60) as client:
            while True:
                await client.post(f"{bench.url.removesuffix('/playground')}/openai/v1/completions", json=body)

    # The page asks once a second, and may show a value for one second alone: wait for all at once.
    moved = "name => !/^(–|0%?)$/.test(document.querySelector(`[data-plot='${name}'] strong`).textContent)"
    busy = asyncio.create_task(keep_busy())
    try:
        async with asyncio.TaskGroup() as waits:
            for name in ("batch", "tokens/s", "KV cache"):
                waits.create_task(bench.page.wait_for_function(moved, arg=name, timeout=15_000))
    finally:
        busy.cancel()


@pytest.mark.parametrize("width", [390, 1280])
async def test_nothing_is_wider_than_the_page(bench: Bench, width: int) -> None:
    page = bench.page
    await page.set_viewport_size({"width": width, "height": 844})
    await page.goto(bench.url)
    await expect(page.locator("#operation option").first).to_be_attached()
    for name in await page.locator("[data-contract]").all_inner_texts():
        await page.click(f'[data-contract="{name}"]')
        await expect(page).to_have_url(re.compile(f"#{name}/"))
        await bench.send()
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, name
