"""`python -m tools.mutate`: record the server's answers, corrupt them, and count the mutants found."""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Final

from engine.async_engine import AsyncEngine
from handlers.engine_starter import engine_config
from handlers.settings.settings import Settings
from tools.mutate.excuses import excuse_of
from tools.mutate.recording.record import documents, record
from verbatim_kit.mutate.report import render
from verbatim_kit.mutate.score import Score, score

# A short context, so that requests that fill it end soon.
_LIMITS: Final = Settings(max_total_tokens=512, max_batch_total_tokens=16384)


def main(arguments: list[str] | None = None) -> int:
    """Return 0 if enough mutants were found and no recorded answer has a fault, otherwise 1."""
    options = _parse(arguments)
    found = asyncio.run(_score(options.contract, options.sample))
    print(render(found))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found.as_json(), indent=2) + "\n", encoding="utf-8")
    return int(found.share < options.least or bool(found.faulty))


async def _score(names: list[str], sample: float) -> Score:
    judged = {name: document for name, document in documents().items() if not names or name in names}
    engine = await AsyncEngine.start(engine_config(_LIMITS))
    try:
        recorded = [answer async for answer in record(engine, judged)]
    finally:
        await engine.stop()
    return score(judged, recorded, sample, excuse_of)


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.mutate",
        description="Record the server's answers, corrupt them in every way that the documents exclude, and "
        "count how many of these mutants the judge of answers finds.",
    )
    parser.add_argument("--contract", action="append", default=[], help="test only this one; may be repeated")
    parser.add_argument(
        "--least",
        type=float,
        default=0.99,
        help="share of mutants to find for success (default: %(default)s)",
    )
    parser.add_argument(
        "--sample",
        type=_share,
        default=1.0,
        help="share of the mutants to judge, chosen with a fixed seed (default: all)",
    )
    parser.add_argument("--json", type=Path, help="file for all figures and survivors")
    return parser.parse_args(arguments)


def _share(text: str) -> float:
    if not 0 < (share := float(text)) <= 1:
        raise ValueError
    return share


if __name__ == "__main__":
    sys.exit(main())
