"""`python -m tools.mutate`: records what the server answers, corrupts it, and counts what the judge finds."""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Final

from engine.async_engine import AsyncEngine
from handlers.engine_starter import engine_config
from handlers.settings.settings import Settings
from tools.mutate.recording.record import documents, record
from tools.mutate.report import render
from tools.mutate.score import Score, score

# Requests that fill the context end soon.
_LIMITS: Final = Settings(max_total_tokens=512, max_batch_total_tokens=16384)


def main(arguments: list[str] | None = None) -> int:
    """0 if enough of the mutants were found, and no answer was at fault as it was recorded; else 1."""
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
        recorded = [one async for one in record(engine, judged)]
    finally:
        await engine.stop()
    return score(judged, recorded, sample)


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.mutate",
        description="Corrupts what the server answers, in every way that its documents rule out, and counts "
        "how much of it the judge of answers finds.",
    )
    parser.add_argument("--contract", action="append", default=[], help="only this one; may be repeated")
    parser.add_argument("--least", type=float, default=0.99, help="share to find (default: %(default)s)")
    parser.add_argument(
        "--sample",
        type=_share,
        default=1.0,
        help="share of the mutants to judge, drawn with a fixed seed (all)",
    )
    parser.add_argument("--json", type=Path, help="write all figures and survivors here")
    return parser.parse_args(arguments)


def _share(text: str) -> float:
    if not 0 < (share := float(text)) <= 1:
        raise ValueError
    return share


if __name__ == "__main__":
    sys.exit(main())
