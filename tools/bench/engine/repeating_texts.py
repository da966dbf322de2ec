"""Prompts with realistic outputs, some of which repeat much of the prompt and some almost nothing."""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
_NUM_RANDOM_WORDS = 300
# An answer to "Summarise this licence", written before any measurement with it.
_LICENSE_SUMMARY = """The Apache License, Version 2.0, lets anyone use, reproduce and distribute the Work
and Derivative Works in Source or Object form. Each Contributor grants a perpetual, worldwide,
non-exclusive, no-charge, royalty-free, irrevocable copyright license to reproduce, prepare Derivative
Works of, publicly display, publicly perform, sublicense, and distribute the Work. Each Contributor also
grants a patent license to make, use, sell and import the Work; it ends for anyone who institutes patent
litigation alleging that the Work infringes a patent.

Those who redistribute the Work must give recipients a copy of the License, mark modified files with
prominent notices that they were changed, retain all copyright, patent, trademark, and attribution
notices, and include the attribution notices of the NOTICE file, if there is one. They may add their own
copyright statement and different license terms for their modifications.

Contributions that are intentionally submitted for inclusion in the Work are under the terms of this
License. It does not grant permission to use the trade names, trademarks, service marks, or product names
of the Licensor. The Work is provided on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND,
and no Contributor shall be liable for damages, including any direct, indirect, special, incidental, or
consequential damages. Whoever offers support, warranty or indemnity does so on their own behalf."""
_ADDED_FUNCTION = '''

def num_scheduled(shares: Iterable[tuple[Sequence, int]]) -> int:
    """Return the number of tokens that all sequences compute together."""
    return sum(num_tokens for _, num_tokens in shares)
'''


class Text(NamedTuple):
    """A prompt and its output, as lists of words."""

    name: str
    prompt: list[str]
    output: list[str]


def repeating_texts() -> Iterator[Text]:
    """Yield edits of code and summaries, then outputs that are unrelated to their prompt."""
    source = _read("engine/scheduling/token_budget.py")
    code, license_text = _words(source), _words(" ".join(_read("LICENSE").split()))
    renamed = re.sub(r"\bbudget\b", "allowance", source)
    yield Text("code, a name changed", code, _words(renamed))
    imports, rest = source.split("\n\n\n", 1)
    yield Text("code, a function added", code, _words(imports + "\n" + _ADDED_FUNCTION + "\n\n" + rest))
    yield Text("summary", license_text, _words(" ".join(_LICENSE_SUMMARY.split())))
    page = _read("docs/architecture.md")[:6000]
    sentences = [_words(sentence) for sentence in re.split(r"(?<=[.:])\s", page)]
    phrases = [
        [*sentence[2:10], f" so{number}"] for number, sentence in enumerate(sentences) if len(sentence) > 12
    ]
    yield Text("quotations of eight words", _words(page), list(chain.from_iterable(phrases)))
    yield Text("prose unlike its prompt", code, license_text)
    random = Random(0)
    yield Text("random words", code, [f"w{random.randrange(2000)}" for _ in range(_NUM_RANDOM_WORDS)])


def chats() -> Iterator[tuple[str, str]]:
    """Yield names and questions for a chat model."""
    code = _read("engine/scheduling/token_budget.py")
    yield (
        "edit of code",
        "Rename the variable `budget` to `allowance`, and write the whole file again:"
        f"\n\n```python\n{code}\n```",
    )
    overview = "\n\n".join(_read("README.md").split("\n\n")[1:8])
    yield "summary", f"Summarize this text, using its own words where you can:\n\n{overview}"
    yield "chat", "Tell me a story about a lighthouse keeper who finds a letter in a bottle."


def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _words(text: str) -> list[str]:
    """Split a text into parts that are mostly single tokens in large vocabularies."""
    return re.findall(r"\s?\w+|\s+|[^\w\s]+", text)
