"""A measurement: from command-line options, through the loads, to tables and files."""

import argparse
import math
import secrets
import sys
from typing import Final

import aiohttp
import orjson

from handlers.bench.client import Client, Exchange, Unusable
from handlers.bench.load import End, at_concurrency, at_rate
from handlers.bench.page import render_html
from handlers.bench.prompts import Prompts
from handlers.bench.result import Result

_BODY: Final = {
    "stream": True,
    "stream_options": {"include_usage": True},
    "temperature": 0,
    "ignore_eos": True,
}


async def bench(options: argparse.Namespace) -> bool:
    """Measure each load, print its table, write the files, and return True if any request failed.

    options: the parsed command line. Raises Unusable.
    """
    url = options.base_url.rstrip("/").removesuffix("/v1")
    headers = {} if options.api_key is None else {"authorization": f"Bearer {options.api_key}"}
    timeout = aiohttp.ClientTimeout(total=options.timeout)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout, connector=connector) as session:
        model = options.model or await _first_model(session, url)
        client = Client(session, f"{url}/v1/{options.endpoint}", {"model": model, **_BODY})
        seed = secrets.randbelow(2**32) if options.seed is None else options.seed
        prompts = Prompts(options.prompt_tokens, seed)
        await prompts.calibrate(client)
        about = {"server": url, "model": model, "seed": seed, "notes": "; ".join(prompts.notes)}
        print(*(f"{name}: {value}" for name, value in about.items()), sep="\n", file=sys.stderr)
        results = []
        for load in options.rate or options.concurrency:
            results.append(await _result(client, prompts, load, seed, options))
            print(results[-1].table(), flush=True)
    if options.json:
        whole = {**about, "loads": [result.record() for result in results]}
        options.json.write_bytes(orjson.dumps(whole, option=orjson.OPT_INDENT_2))
    if options.html:
        options.html.write_text(render_html(results, about), encoding="utf-8")
    return any(result.errors for result in results)


async def _first_model(session: aiohttp.ClientSession, url: str) -> str:
    try:
        async with session.get(f"{url}/v1/models", raise_for_status=True) as answer:
            return str((await answer.json())["data"][0]["id"])
    except (aiohttp.ClientError, TimeoutError, LookupError, TypeError, ValueError) as error:
        raise Unusable(f"{url} does not list a model; set one with --model ({error})") from error


async def _result(
    client: Client, prompts: Prompts, load: float, seed: int, options: argparse.Namespace
) -> Result:
    async def ask(due_s: float | None) -> Exchange:
        return await client.ask(prompts.next(), options.output_tokens, due_s)

    end = End(math.inf, options.duration) if options.duration else End(options.requests, math.inf)
    if options.rate:
        return Result(f"rate {load:g}/s", await at_rate(ask, load, end, seed))
    return Result(f"concurrency {load}", await at_concurrency(ask, int(load), end))
