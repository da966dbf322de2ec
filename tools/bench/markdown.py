"""Conversion of a `make bench` report to Markdown: `python -m tools.bench.markdown docs/bench/NAME.json`."""

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Report = dict[str, Any]


def markdown(report: Report) -> str:
    """Return a report as Markdown: the machine, then a table of engines and one of servers."""
    parts = [_machine(report["machine"])]
    if report["engine"]:
        parts += ["", _engine_table(report)]
    if report["http"]:
        parts += ["", _server_table(report["http"])]
    return "\n".join(parts)


def _machine(machine: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return (
        f"{machine['cores']} cores of {machine['processor']} ({', '.join(machine['flags'])}), "
        f"{machine['memory_gib']} GiB; {machine['system']}; {versions}."
    )


def _engine_table(report: Report) -> str:
    """Return a table of tokens/s with a column for each case; in brackets, Verbatim's relative speed."""
    rows = report["engine"]
    cases = list(dict.fromkeys((row["what"], row["requests"], row["prompt"]) for row in rows))
    cells = {(row["contender"], row["what"], row["requests"], row["prompt"]): _speed(row) for row in rows}
    floors = {row["requests"]: f"{row['tokens_per_s']:.0f}" for row in report["floor"]}
    loads = {row["contender"]: row for row in report["contenders"]}
    lines = [
        [
            f"{name} {row['version']}",
            f"{row['load_s']:.1f}",
            *(cells.get((name, *case), "") for case in cases),
        ]
        for name, row in loads.items()
    ]
    floor = [floors.get(num, "") if what == "decode" else "" for what, num, _ in cases]
    names = [f"decode at {num}" if what == "decode" else f"prompt of {prompt}" for what, num, prompt in cases]
    return _table(["engine", "load, s", *names], [*lines, ["memory's floor", "", *floor]])


def _server_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return a table with a line for each load and server, in milliseconds; ratios as in `http_level`."""
    columns = ["requests", "prompt", "output", "server", "tokens/s", "first p50", "first p99"]
    columns += ["gap p50", "gap p99", "ratio", "first ratio"]
    lines = [
        [
            *(str(row[name]) for name in ("requests", "prompt", "output", "server")),
            f"{row['tokens_per_s']:.1f}",
            *(f"{row[f'{what}_{p}_ms']:.0f}" for what in ("first", "gap") for p in ("p50", "p99")),
            f"{row['ratio']:.2f}",
            f"{row['first_ratio']:.2f}",
        ]
        for row in rows
    ]
    return _table(columns, lines)


def _speed(row: dict[str, Any]) -> str:
    if not row["tokens_per_s"]:
        return "-"
    ratio = "" if row["contender"] == "verbatim" else f" ({row['ratio']:.2f})"
    return f"{row['tokens_per_s']:.1f}{ratio}"


def _table(names: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = ["---"] * len(names)
    return "\n".join("| " + " | ".join(line) + " |" for line in (names, rule, *lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    print(markdown(json.loads(parser.parse_args().report.read_text())))


if __name__ == "__main__":
    main()
