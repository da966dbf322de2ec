"""The metrics of several processes in one text, since a scrape reaches only the one that answers it."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

_FAMILY: Final = re.compile(r"# (?:HELP|TYPE) (\S+)")
_SAMPLE: Final = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S.*)")


class _Family(NamedTuple):
    """The comments and the samples of one metric."""

    head: list[str]
    samples: list[str]


def merged(texts: Mapping[str, str], label: str = "replica") -> str:
    """Return the metrics of several processes, each sample with its process in a label.

    texts: in Prometheus's text format, by the processes' names. All samples of a family stand together.
    """
    families: dict[str, _Family] = {}
    for process, text in texts.items():
        known = frozenset(families)
        family = _Family([], [])
        for line in text.splitlines():
            if match := _FAMILY.match(line):
                family = families.setdefault(match[1], _Family([], []))
                if match[1] not in known:
                    family.head.append(line)
            elif match := _SAMPLE.fullmatch(line):
                family.samples.append(_labelled(match, f'{label}="{process}"'))
    lines = [line for family in families.values() for line in (*family.head, *family.samples)]
    return "".join(f"{line}\n" for line in lines)


def _labelled(sample: re.Match[str], label: str) -> str:
    name, labels, value = sample.groups()
    return f"{name}{{{f'{labels},' if labels else ''}{label}}} {value}"
