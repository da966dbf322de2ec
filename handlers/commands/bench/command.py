"""A measurement: from command-line options, through the loads, to tables and files."""

import argparse
import secrets
import sys
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

import aiohttp
import orjson
from jinja2 import Environment, StrictUndefined

from handlers.commands.bench.client import Client, Exchange, Unusable
from handlers.commands.bench.load import at_concurrency, at_rate, turns
from handlers.commands.bench.prompts import Prompts
from handlers.commands.bench.result import Result

_BODY: Final = {
    "stream": True,
    "stream_options": {"include_usage": True},
    "temperature": 0,
    "ignore_eos": True,
}
_PLOTTED: Final = ("TTFT, ms", "ITL, ms", "TPOT, ms", "end to end, ms")


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
        options.html.write_text(_html(results, about), encoding="utf-8")
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

    may_begin = turns(options.requests, options.duration)
    if options.rate:
        return Result(f"rate {load:g}/s", await at_rate(ask, load, may_begin, seed))
    return Result(f"concurrency {load}", await at_concurrency(ask, int(load), may_begin))


def _html(results: list[Result], about: Mapping[str, Any]) -> str:
    """Return the page of results: one file with plots in SVG, which needs no network."""
    template = files(__package__).joinpath("page.html.jinja").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    ends = {name: max(max(each.samples[name], default=0.0) for each in results) or 1.0 for name in _PLOTTED}
    return environment.from_string(template).render(results=results, about=about, ends=ends)
