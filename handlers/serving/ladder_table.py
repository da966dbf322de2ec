"""The table of `verbatim doctor`: what each way of computing steps gives on this machine."""

import platform
import sys
from typing import Final

import msgspec

from engine.config import EngineConfig
from engine.ladder import NUM_SEQUENCES, Ladder, climb
from handlers.serving.model_table import model_lines
from handlers.settings.settings import Settings
from handlers.version import VERSION

_WIDTH: Final = 28


def examine(settings: Settings, config: EngineConfig, *, as_json: bool) -> str:
    """Measure the model of these settings, and return the report. Raises EngineError as a start does."""
    ladder = climb(config, lambda line: print(f"  {line}", file=sys.stderr))
    if as_json:
        return msgspec.json.encode(ladder).decode()
    return "\n".join(ladder_lines(settings.model_name, ladder))


def ladder_lines(name: str, ladder: Ladder) -> list[str]:
    """Return the lines of the report, for a person to read or to send. name: the model's in requests."""
    machine = ladder.device_name or platform.machine()
    columns = [
        number for number in NUM_SEQUENCES if any(number in rung.tokens_per_s for rung in ladder.rungs)
    ]
    head = "".join(f"{number:>10,}" for number in columns)
    lines = [
        f"  verbatim  {VERSION}, torch {ladder.torch_version}, {machine}",
        *(line for line in model_lines(name, ladder.info, None) if not line.startswith("  chat")),
        f"  memory    {ladder.bytes_per_s / 1e9:,.0f} GB/s in a copy",
        "",
        f"Tokens per second of so many sequences, of {ladder.num_prompt_tokens:,} tokens each:",
        "",
        f"  {'':{_WIDTH}}{head}{'first token':>14}",
    ]
    if ladder.bound:
        lines.append(_line("bound by memory", {**ladder.bound}, columns))
    for rung in ladder.rungs:
        lines.append(_line(rung.name, rung.tokens_per_s, columns) + f"{rung.first_token_s * 1e3:>11,.1f} ms")
    return lines


def _line(name: str, values: dict[int, float], columns: list[int]) -> str:
    cells = (f"{values[column]:,.0f}" if column in values else "-" for column in columns)
    return f"  {name:{_WIDTH}}" + "".join(f"{cell:>10}" for cell in cells)
